//! The options of `atc completions` and `atc man-pages`. Packages of atc install the files that
//! these commands write.

use std::path::PathBuf;

use clap::Args;

/// Write a shell's completion script for atc
#[derive(Debug, Args)]
#[command(
    after_help = "The folder of the file must exist (mkdir -p). Manual pages: atc man-pages.\n\nExamples:\n  \
    mkdir -p ~/.local/share/bash-completion/completions\n  \
    atc completions bash > ~/.local/share/bash-completion/completions/atc\n  \
    atc completions zsh > ~/.zfunc/_atc        # a folder of $fpath\n  \
    atc completions fish > ~/.config/fish/completions/atc.fish"
)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Write a manual page for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    atc man-pages ~/.local/share/man/man1      # then: man atc, man atc-tune")]
pub struct ManPagesArgs {
    /// The folder, such as ~/.local/share/man/man1; made if it is missing
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
