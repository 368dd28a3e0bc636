//! The implementation of the feature `dlopen`: libatc is not linked, but opened when the program starts.
//!
//! For each C function of the bindings this crate defines a function of the same name. Its symbol is hidden: it is
//! visible only inside the linked program or library. The function jumps to the address in its entry of [`TABLE`].
//! [`load`] fills the table with the addresses of libatc's functions before `main` begins.
//!
//! The reason why libatc is not linked: cargo passes the rpath of a build script only to programs of the same package.
//! So the loader would not find a linked libatc for programs of other packages.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

const LIBRARY: &CStr = c"libatc.so.1";

/// A folder in which programs search for libatc: the folder that `ATC_RUNTIME_DIR` named when the crate was built, or
/// else the folder in which the build script found libatc.
pub(crate) const FOLDER: &str = env!("ATC_SYS_LIBRARY_FOLDER");
const IN_FOLDER: &CStr = match CStr::from_bytes_with_nul(
    concat!(env!("ATC_SYS_LIBRARY_FOLDER"), "/libatc.so.1\0").as_bytes(),
) {
    Ok(path) => path,
    Err(_) => panic!("the path of libatc has a NUL in it"),
};

const RTLD_NOW: c_int = 2;
const RTLD_NOLOAD: c_int = 4;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn secure_getenv(name: *const c_char) -> *const c_char;
    fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
    fn abort() -> !;
    fn atc_sys_missing();
}

/// The addresses of libatc's functions, in the order of `NAMES`. A function that was not found has the address of
/// `atc_sys_missing`, which ends the process.
static TABLE: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(atc_sys_missing as *const () as *mut c_void) }; NAMES.len()];

static LOADED: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_loaded() -> bool {
    LOADED.load(Ordering::Acquire)
}

/// Opens libatc and writes the addresses of its functions into `TABLE`. The function runs before `main`. If this crate
/// is part of a shared library, the function runs when that library is opened.
extern "C" fn load() {
    let library = find();
    if library.is_null() {
        return;
    }
    for (name, entry) in NAMES.iter().zip(&TABLE) {
        // SAFETY: the library is open, and the name is a string that ends with NUL.
        let function = unsafe { dlsym(library, name.as_ptr()) };
        if !function.is_null() {
            entry.store(function, Ordering::Relaxed);
        }
    }
    LOADED.store(true, Ordering::Release);
}

/// Opens libatc and returns its handle. Returns null if libatc is not found. If the process has loaded libatc already,
/// that library is used. Otherwise the function searches in these places, in this order: the folders of
/// LD_LIBRARY_PATH, the folder of the program, the folder `../lib` relative to the folder of the program, `FOLDER`, the
/// default folders of the loader.
fn find() -> *mut c_void {
    let open = |path: &CStr, flags| {
        // SAFETY: the path is a string that ends with NUL. libatc may be opened at any time.
        unsafe { dlopen(path.as_ptr(), flags) }
    };
    let mut library = open(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if library.is_null() {
        library = find_in_library_path();
    }
    // The loader replaces $ORIGIN by the folder of the program. If this code is part of a shared library, the loader
    // replaces $ORIGIN by the folder of that library.
    for path in [c"$ORIGIN/libatc.so.1", c"$ORIGIN/../lib/libatc.so.1", IN_FOLDER, LIBRARY] {
        if library.is_null() {
            library = open(path, RTLD_NOW);
        }
    }
    library
}

/// Opens the first libatc in the folders of LD_LIBRARY_PATH. A call of `dlopen` with only the name of the library would
/// search these folders, too. But it would also search the default folders of the loader, before the program's folder
/// and `FOLDER` were searched.
fn find_in_library_path() -> *mut c_void {
    // SAFETY: the name ends with NUL. This code runs before `main`, or while a program opens a library. In both cases
    // no other code may change the environment at the same time.
    let folders = unsafe { secure_getenv(c"LD_LIBRARY_PATH".as_ptr()) };
    if folders.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the value of a variable is a string that ends with NUL, and nothing changes the string during the search.
    let folders = unsafe { CStr::from_ptr(folders) };
    for folder in folders.to_bytes().split(|byte| matches!(byte, b':' | b';')) {
        let mut path = [0_u8; 4096];
        let parts = [folder, b"/", LIBRARY.to_bytes_with_nul()];
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if folder.is_empty() || length > path.len() {
            continue;
        }
        let mut rest = &mut path[..];
        for part in parts {
            rest[..part.len()].copy_from_slice(part);
            rest = &mut rest[part.len()..];
        }
        // SAFETY: `path` is a string that ends with NUL.
        let library = unsafe { dlopen(path.as_ptr().cast(), RTLD_NOW) };
        if !library.is_null() {
            return library;
        }
    }
    core::ptr::null_mut()
}

/// Ends the process with an error text. This function runs if the program calls a function of libatc that was not
/// found. The loader does the same if a program calls a missing function of a linked library.
extern "C" fn missing(index: u32) -> ! {
    let name = NAMES.get(index as usize).map_or("", |name| name.to_str().unwrap_or(""));
    let sentence = if is_loaded() {
        ["atc: the libatc.so.1 that was found is older than this program: it has no ", name, "\n"]
    } else {
        [
            "atc: libatc.so.1 was not found beside the program, in ",
            FOLDER,
            " or where the loader looks: install atc, or put the folder of libatc.so.1 into LD_LIBRARY_PATH\n",
        ]
    };
    for part in sentence {
        // SAFETY: the pointer and the length are those of a str.
        unsafe { write(2, part.as_ptr().cast(), part.len()) };
    }
    // SAFETY: `abort` has no conditions.
    unsafe { abort() }
}

/// Defines one function in assembly. `$line` are the instructions of the function. The macro adds the directives, one
/// of which makes the symbol hidden (visible only inside the linked program or library).
macro_rules! function {
    ($name:literal, $($line:literal),+ ; $($operand:tt)*) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",%progbits"),
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", %function"),
            ".p2align 4",
            concat!($name, ":"),
            ".cfi_startproc",
            $($line,)+
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            $($operand)*
        );
    };
}

/// Defines the function `name`, which jumps to the address in entry `index` of `TABLE`. No argument of the call is
/// changed: the code writes only registers in which the calling convention passes no arguments (r11 on x86-64, x16 and
/// x17 on AArch64). `index` is left in such a register, because the address may be that of `atc_sys_missing`, which
/// reads the index there.
#[cfg(target_arch = "x86_64")]
macro_rules! entry {
    ($name:literal, $index:literal) => {
        function!($name, "endbr64", "mov r11d, {index}", "jmp qword ptr [rip + {table} + 8 * {index}]";
                  index = const $index, table = sym TABLE);
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! entry {
    ($name:literal, $index:literal) => {
        function!($name, "hint #34", "mov w17, #{index}", "adrp x16, {table} + 8 * {index}",
                  "ldr x16, [x16, :lo12:{table} + 8 * {index}]", "br x16";
                  index = const $index, table = sym TABLE);
    };
}

#[cfg(target_arch = "x86_64")]
function!("atc_sys_missing", "endbr64", "mov edi, r11d", "and rsp, -16", "call {missing}"; missing = sym missing);

#[cfg(target_arch = "aarch64")]
function!("atc_sys_missing", "hint #34", "mov w0, w17", "bl {missing}"; missing = sym missing);

// Adds `load` to the functions that run before `main`. Functions with smaller numbers run earlier. The number 101 makes
// `load` run before the constructors of other code, which may call libatc.
//
// The linker keeps this section in every program that calls a function of libatc. The reason: such a program needs
// `TABLE`, `TABLE` needs `atc_sys_missing`, and `atc_sys_missing` is defined in the same object file as this section.
core::arch::global_asm!(
    ".pushsection .init_array.00101,\"aw\",%init_array",
    ".p2align 3",
    ".quad {load}",
    ".popsection",
    load = sym load
);

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
