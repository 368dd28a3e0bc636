//! The built-in networks. Their files were made by scripts/networks, which recorded runs of the
//! models.

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
    Network { name: "efficientnet_b0", text: include_str!("../../networks/efficientnet_b0.txt") },
    Network { name: "convnext_tiny", text: include_str!("../../networks/convnext_tiny.txt") },
    Network { name: "unet", text: include_str!("../../networks/unet.txt") },
];

/// Returns the names of all built-in networks.
pub fn known() -> impl Iterator<Item = &'static str> {
    NETWORKS.iter().map(|network| network.name)
}

pub fn find(name: &str) -> Option<&'static Network> {
    NETWORKS.iter().find(|network| network.name == name)
}

/// Returns the names of the built-in networks that the user may have meant by `name`: those that
/// are similar to `name` or begin with it. Case and punctuation are ignored.
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
        // The expected numbers follow from the definitions of the models.
        for (name, distinct, convolutions) in [
            ("resnet50", 23, 53),
            ("mobilenet_v3_large", 44, 62),
            ("efficientnet_b0", 46, 81),
            ("convnext_tiny", 8, 22),
            ("unet", 19, 23),
        ] {
            let layers = parse(find(name).unwrap().text).unwrap();
            assert_eq!(layers.len(), distinct, "{name}");
            assert_eq!(layers.iter().map(|layer| layer.count).sum::<u64>(), convolutions, "{name}");
            assert!(layers.iter().all(|layer| layer.columns.batch == 1), "{name}");
            assert!(layers.iter().all(|layer| layer.columns.spatial_dims() == 2), "{name}");
        }
    }

    #[test]
    fn networks_have_the_published_number_of_operations() {
        // `published` is the number of multiply-adds of the whole network that torchvision
        // publishes, rounded to a million. It includes the last layer, which is linear and not a
        // convolution. So `linear`, the multiply-adds of the last layer (2048 * 1000 and 1280 *
        // 1000), is added to those of the convolutions.
        for (name, published, linear) in
            [("resnet50", 4.089e9, 2.048e6), ("efficientnet_b0", 0.386e9, 1.28e6)]
        {
            let layers = parse(find(name).unwrap().text).unwrap();
            let flops: f64 =
                layers.iter().map(|layer| layer.count as f64 * layer.columns.flops()).sum();
            let found = flops / 2.0 + linear;
            assert!((found - published).abs() <= 0.5e6, "{name}: {found} against {published}");
        }
    }

    #[test]
    fn the_built_in_networks_are_told_to_users() {
        use clap::CommandFactory;
        let mut command = crate::cli::Cli::command();
        let tune = command.find_subcommand_mut("tune").unwrap();
        let help = tune.render_long_help().to_string();
        let missing: Vec<_> = known().filter(|name| !help.contains(name)).collect();
        assert!(missing.is_empty(), "atc tune --help does not tell of {missing:?}");
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
