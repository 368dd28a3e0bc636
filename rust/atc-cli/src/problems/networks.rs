//! The networks that are built in; scripts/networks writes their files from the models' definitions.

/// A built-in network.
pub struct Network {
    pub name: &'static str,
    pub text: &'static str,
}

const NETWORKS: &[Network] = &[
    Network { name: "resnet50", text: include_str!("../../networks/resnet50.txt") },
    Network {
        name: "mobilenet_v3_large",
        text: include_str!("../../networks/mobilenet_v3_large.txt"),
    },
];

/// The names of all of them.
pub fn known() -> impl Iterator<Item = &'static str> {
    NETWORKS.iter().map(|network| network.name)
}

pub fn find(name: &str) -> Option<&'static Network> {
    NETWORKS.iter().find(|network| network.name == name)
}

/// Names that may have been meant: nearly the same letters, upper case and punctuation aside.
pub fn close_matches(name: &str) -> Vec<&'static str> {
    let plain = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let wanted = plain(name);
    known()
        .filter(|known| {
            let known = plain(known);
            let begins = wanted.len() >= 3 && known.starts_with(&wanted);
            begins || strsim::jaro_winkler(&wanted, &known) >= 0.85
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::text::parse;
    use super::*;

    #[test]
    fn the_built_in_networks_are_whole() {
        // As torchvision's model definitions have them: 53 and 62 convolutions.
        for (name, distinct, convolutions) in [("resnet50", 23, 53), ("mobilenet_v3_large", 44, 62)]
        {
            let layers = parse(find(name).unwrap().text).unwrap();
            assert_eq!(layers.len(), distinct, "{name}");
            assert_eq!(layers.iter().map(|layer| layer.count).sum::<u64>(), convolutions, "{name}");
            assert!(layers.iter().all(|layer| layer.columns.batch == 1), "{name}");
            assert!(layers.iter().all(|layer| layer.columns.spatial_dims() == 2), "{name}");
        }
    }

    #[test]
    fn resnet50_has_the_published_number_of_operations() {
        // torchvision publishes 4.09 G multiply-adds, of which the last, linear layer has 2048 * 1000.
        let layers = parse(find("resnet50").unwrap().text).unwrap();
        let flops: f64 =
            layers.iter().map(|layer| layer.count as f64 * layer.columns.flops()).sum();
        let published = 2.0 * (4.089e9 - 2.048e6);
        assert!((flops / published - 1.0).abs() < 1e-3, "{flops} against {published}");
    }

    #[test]
    fn misspelt_names_find_what_was_meant() {
        assert_eq!(close_matches("ResNet-50"), ["resnet50"]);
        assert_eq!(close_matches("resent50"), ["resnet50"]);
        assert_eq!(close_matches("mobilenet"), ["mobilenet_v3_large"]);
        assert_eq!(close_matches("mobilenetv3-large"), ["mobilenet_v3_large"]);
        assert!(close_matches("transformer").is_empty());
        assert!(close_matches("").is_empty());
    }
}
