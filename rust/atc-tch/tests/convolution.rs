//! Compares single convolutions that atc runs with the convolutions of tch: results, gradients,
//! gradients of gradients, and errors.
#![allow(missing_docs)]

mod support;

use atc_tch::{ErrorKind, Geometry, Options, convolution};
use support::{Folder, alone, bits, leaf, random, tuning, whole_numbers};
use tch::{Kind, Tensor};

struct Case {
    name: &'static str,
    x: &'static [i64],
    w: &'static [i64],
    bias: Option<i64>,
    transposed: bool,
    stride: i64,
    padding: i64,
    dilation: i64,
    output_padding: i64,
    groups: i64,
}

const PLAIN: Case = Case {
    name: "plain",
    x: &[2, 4, 9, 8],
    w: &[6, 4, 3, 3],
    bias: None,
    transposed: false,
    stride: 1,
    padding: 1,
    dilation: 1,
    output_padding: 0,
    groups: 1,
};

const CASES: &[Case] = &[
    PLAIN,
    Case { name: "strided, with bias", bias: Some(6), stride: 2, ..PLAIN },
    Case { name: "dilated", dilation: 2, padding: 2, ..PLAIN },
    Case { name: "grouped", w: &[6, 2, 3, 3], groups: 2, bias: Some(6), ..PLAIN },
    Case { name: "depthwise", w: &[4, 1, 3, 3], groups: 4, ..PLAIN },
    Case { name: "1x1", w: &[6, 4, 1, 1], padding: 0, ..PLAIN },
    Case { name: "1-D", x: &[3, 4, 17], w: &[6, 4, 5], padding: 2, ..PLAIN },
    Case { name: "3-D", x: &[1, 3, 5, 6, 7], w: &[4, 3, 3, 3, 3], bias: Some(4), ..PLAIN },
    Case {
        name: "transposed",
        w: &[4, 6, 3, 3],
        transposed: true,
        stride: 2,
        output_padding: 1,
        bias: Some(6),
        ..PLAIN
    },
    Case { name: "transposed 1-D", x: &[2, 4, 9], w: &[4, 3, 4], transposed: true, ..PLAIN },
];

impl Case {
    fn dims(&self) -> usize {
        self.x.len() - 2
    }

    fn geometry(&self) -> Geometry {
        Geometry::new(self.dims())
            .transposed(self.transposed)
            .stride(self.stride)
            .padding(self.padding)
            .dilation(self.dilation)
            .output_padding(self.output_padding)
            .groups(self.groups)
    }

    fn theirs(&self, x: &Tensor, w: &Tensor, bias: Option<&Tensor>) -> Tensor {
        let all = |value: i64| vec![value; self.dims()];
        x.convolution(
            w,
            bias,
            all(self.stride),
            all(self.padding),
            all(self.dilation),
            self.transposed,
            all(self.output_padding),
            self.groups,
        )
    }

    fn ours(&self, options: &Options) -> impl Fn(&Tensor, &Tensor, Option<&Tensor>) -> Tensor {
        move |x, w, bias| convolution(x, w, bias, &self.geometry(), options).unwrap()
    }
}

/// Returns a convolution of whole numbers and its derivatives, each with a name. All elements are
/// whole numbers below 2^24, so they are exact in fp32 for every order of summation.
fn everything(
    case: &Case,
    convolve: impl Fn(&Tensor, &Tensor, Option<&Tensor>) -> Tensor,
) -> Vec<(&'static str, Vec<u32>)> {
    let x = leaf(&whole_numbers(case.x, 1));
    let w = leaf(&whole_numbers(case.w, 2));
    let bias = case.bias.map(|channels| leaf(&whole_numbers(&[channels], 3)));
    let y = convolve(&x, &w, bias.as_ref());
    let mut inputs = vec![&x, &w];
    inputs.extend(bias.as_ref());

    let gy = leaf(&whole_numbers(&y.size(), 4));
    let gradients = Tensor::run_backward(&[(&y * &gy).sum(Kind::Float)], &inputs, true, true);
    let mut results = vec![("y", bits(&y))];
    for (name, gradient) in ["gx", "gw", "gbias"].into_iter().zip(&gradients) {
        results.push((name, bits(gradient)));
    }
    let again = &gradients[0] * whole_numbers(case.x, 5);
    let twice = Tensor::run_backward(&[again.sum(Kind::Float)], &[&w, &gy], true, false);
    results.extend([("gx by w", bits(&twice[0])), ("gx by gy", bits(&twice[1]))]);
    let again = &gradients[1] * whole_numbers(case.w, 6);
    let twice = Tensor::run_backward(&[again.sum(Kind::Float)], &[&x, &gy], false, false);
    results.extend([("gw by x", bits(&twice[0])), ("gw by gy", bits(&twice[1]))]);
    results
}

fn all_agree(options: &Options) {
    for case in CASES {
        let theirs = everything(case, |x, w, bias| case.theirs(x, w, bias));
        let ours = everything(case, case.ours(options));
        for ((name, theirs), (_, ours)) in theirs.iter().zip(&ours) {
            assert!(ours == theirs, "{}: {name} differs", case.name);
        }
        assert_eq!(ours.len(), theirs.len());
    }
}

#[test]
fn at_defaults_everything_is_libtorchs_own() {
    let _alone = alone();
    atc_tch::reset_statistics().unwrap();
    all_agree(&Options::new());
    let statistics = atc_tch::statistics().unwrap();
    assert_eq!(statistics.taken, 0);
    assert!(statistics.passed.nothing_known >= 3 * CASES.len() as u64, "{statistics:?}");
}

#[test]
fn tuned_convolutions_and_all_their_derivatives_are_exact() {
    let _alone = alone();
    atc_tch::reset_statistics().unwrap();
    all_agree(&tuning());
    let statistics = atc_tch::statistics().unwrap();
    assert!(statistics.taken > 0, "atc ran nothing: {statistics:?}");
    assert_eq!(statistics.passed.failed, 0, "{statistics:?}");
    assert_eq!(statistics.passed.nothing_known, 0, "{statistics:?}");
}

#[test]
fn functions_take_their_arguments_in_tchs_order() {
    let _alone = alone();
    // All arguments of the convolution differ from each other. So if two arguments were exchanged,
    // the shape or the values of the result would be different.
    let x = whole_numbers(&[2, 4, 12, 11], 1);
    let (w, bias) = (whole_numbers(&[6, 2, 3, 2], 2), whole_numbers(&[6], 3));
    let ours = atc_tch::conv2d(&x, &w, Some(&bias), [2, 1], [1, 0], [3, 2], 2).unwrap();
    let theirs = x.conv2d(&w, Some(&bias), [2, 1], [1, 0], [3, 2], 2);
    assert_eq!((ours.size(), bits(&ours)), (theirs.size(), bits(&theirs)));

    let (w, bias) = (whole_numbers(&[4, 3, 3, 2], 2), whole_numbers(&[6], 3));
    let ours =
        atc_tch::conv_transpose2d(&x, &w, Some(&bias), [3, 2], [1, 0], [2, 1], 2, [1, 2]).unwrap();
    let theirs = x.conv_transpose2d(&w, Some(&bias), [3, 2], [1, 0], [2, 1], 2, [1, 2]);
    assert_eq!((ours.size(), bits(&ours)), (theirs.size(), bits(&theirs)));

    let (x, w) = (whole_numbers(&[1, 2, 9], 1), whole_numbers(&[3, 2, 3], 2));
    let ours = atc_tch::conv1d(&x, &w, None, 2, 1, 2, 1).unwrap();
    assert_eq!(bits(&ours), bits(&x.conv1d(&w, None::<Tensor>, 2, 1, 2, 1)));
    let w = whole_numbers(&[2, 3, 3], 2);
    let ours = atc_tch::conv_transpose1d(&x, &w, None, 3, 1, 2, 1, 1).unwrap();
    assert_eq!(bits(&ours), bits(&x.conv_transpose1d(&w, None::<Tensor>, 3, 1, 2, 1, 1)));

    let (x, w) = (whole_numbers(&[1, 2, 5, 6, 7], 1), whole_numbers(&[3, 2, 2, 3, 1], 2));
    let ours = atc_tch::conv3d(&x, &w, None, [1, 2, 3], [1, 2, 0], [2, 1, 1], 1).unwrap();
    let theirs = x.conv3d(&w, None::<Tensor>, [1, 2, 3], [1, 2, 0], [2, 1, 1], 1);
    assert_eq!((ours.size(), bits(&ours)), (theirs.size(), bits(&theirs)));
    let w = whole_numbers(&[2, 3, 2, 3, 1], 2);
    let ours = atc_tch::conv_transpose3d(&x, &w, None, [1, 2, 3], 0, [0, 1, 2], 1, 1).unwrap();
    let theirs = x.conv_transpose3d(&w, None::<Tensor>, [1, 2, 3], 0, [0, 1, 2], 1, 1);
    assert_eq!((ours.size(), bits(&ours)), (theirs.size(), bits(&theirs)));
}

#[test]
fn an_input_may_lack_the_batch() {
    let _alone = alone();
    let (x, w) = (whole_numbers(&[4, 9, 8], 1), whole_numbers(&[6, 4, 3, 3], 2));
    let ours = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).unwrap();
    let theirs = x.conv2d(&w, None::<Tensor>, 1, 1, 1, 1);
    assert_eq!((ours.size(), bits(&ours)), (theirs.size(), bits(&theirs)));
}

#[test]
fn what_libtorch_refuses_is_an_error_in_its_words() {
    let _alone = alone();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 5, 3, 3]));
    let refused = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.message().contains("channels"), "{refused}");
    let theirs = x.f_conv2d(&w, None::<Tensor>, 1, 1, 1, 1).unwrap_err().to_string();
    assert!(theirs.contains(refused.message()), "ours: {refused}\ntheirs: {theirs}");

    for (what, tensors) in [
        ("kernel larger than the input", (random(&[1, 4, 2, 2]), random(&[6, 4, 5, 5]))),
        ("too few dimensions", (random(&[4]), random(&[6, 4, 3, 3]))),
        ("no such dimensions of w", (random(&[1, 4, 8, 8]), random(&[6, 4]))),
        ("nothing", (Tensor::new(), random(&[6, 4, 3, 3]))),
        ("no weight", (random(&[1, 4, 8, 8]), Tensor::new())),
        ("two dtypes", (random(&[1, 4, 8, 8]), random(&[6, 4, 3, 3]).to_kind(Kind::Double))),
    ] {
        let refused = atc_tch::conv2d(&tensors.0, &tensors.1, None, 1, 0, 1, 1);
        assert!(refused.is_err(), "{what} is taken");
        assert!(!refused.unwrap_err().message().is_empty(), "{what}: no text");
    }
    let lists = atc_tch::conv2d(&x, &random(&[6, 4, 3, 3]), None, [1, 1, 1], 1, 1, 1).unwrap_err();
    assert!(lists.message().contains("stride has 3 entries"), "{lists}");
    let groups = atc_tch::conv2d(&x, &random(&[6, 4, 3, 3]), None, 1, 1, 1, 0).unwrap_err();
    assert_eq!(groups.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn other_dtypes_are_libtorchs_own() {
    let _alone = alone();
    let options = tuning();
    let x = random(&[1, 4, 8, 8]).to_kind(Kind::Double);
    let w = random(&[6, 4, 3, 3]).to_kind(Kind::Double);
    atc_tch::reset_statistics().unwrap();
    let ours = convolution(&x, &w, None, &Geometry::new(2), &options).unwrap();
    assert_eq!(ours, x.conv2d(&w, None::<Tensor>, 1, 0, 1, 1));
    assert_eq!(ours.kind(), Kind::Double);
    assert_eq!(atc_tch::statistics().unwrap().passed.dtype, 1);

    let x = x.to_kind(Kind::BFloat16);
    let w = w.to_kind(Kind::BFloat16);
    let ours = convolution(&x, &w, None, &Geometry::new(2), &options).unwrap();
    assert_eq!((ours.kind(), ours.size()), (Kind::BFloat16, vec![1, 6, 6, 6]));
}

#[test]
fn sparse_tensors_are_what_libtorch_makes_of_them() {
    let _alone = alone();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 4, 3, 3]));
    let sparse = x.to_sparse_sparse_dim(4);
    let theirs = sparse.f_conv2d(&w, None::<Tensor>, 1, 1, 1, 1);
    let ours = atc_tch::conv2d(&sparse, &w, None, 1, 1, 1, 1);
    assert_eq!(ours.is_ok(), theirs.is_ok());
}

#[test]
fn an_unread_error_of_libtorch_is_not_taken_for_ours() {
    let _alone = alone();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 4, 3, 3]));
    // SAFETY: the tensor is live. The index is out of range on purpose: LibTorch then stores an
    // error, which this thread does not read yet.
    let nothing = unsafe { torch_sys::at_get(x.as_ptr().cast_mut(), 99) };
    assert!(nothing.is_null());
    let y = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1);
    // LibTorch's error must be read here; otherwise the next call of tch would panic.
    let unread = x.f_neg().unwrap_err().to_string();
    assert!(unread.contains("99"), "{unread}");
    assert_eq!(y.unwrap().size(), [1, 6, 8, 8]);
}

#[test]
fn replaying_only_a_missing_record_is_an_error() {
    let _alone = alone();
    let folder = Folder::new("replay");
    let store = atc::Store::open_with(folder.path(), atc::StoreMode::ReplayOnly).unwrap();
    store.activate().unwrap();
    let (x, w) = (random(&[1, 4, 8, 8]), random(&[6, 4, 3, 3]));
    let missing = atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1);
    atc::Store::deactivate().unwrap();
    let missing = missing.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotTuned, "{missing}");
    assert!(atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).is_ok());
}

#[test]
fn without_gradients_there_is_no_graph() {
    let _alone = alone();
    let (x, w) = (leaf(&random(&[1, 4, 8, 8])), leaf(&random(&[6, 4, 3, 3])));
    let y = tch::no_grad(|| atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).unwrap());
    assert!(!y.requires_grad());
    assert!(atc_tch::conv2d(&x, &w, None, 1, 1, 1, 1).unwrap().requires_grad());
}
