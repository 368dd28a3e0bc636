//! Makes inputs for fuzzing: takes an input of the corpus and replaces some of its bytes, words or
//! JSON values.

use serde_json::Value;

/// Words and numbers that are inserted into inputs. They are at the limits of arithmetic or of
/// formats.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "1e308",
    "5e-324",
    "0.5",
    "-0.0",
    "null",
    "true",
    "\"\"",
    "\"a@1:b\"",
    "\"\\u001b[2J\"",
    "[]",
    "{}",
    "#",
    "x99999999999999999999",
    "\u{9b}",
    "\u{1F9E9}",
    "",
];

/// A generator of changes. It makes the same changes in every run with the same seed.
pub struct Changes(u64);

impl Changes {
    pub fn new(seed: u64) -> Self {
        // The lowest bit is set, so that the state is not 0: from the state 0 the generator
        // (xorshift64*) would return only 0.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a random number below `limit` (xorshift64*).
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap() % limit.max(1)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    pub fn of(&mut self, corpus: &[String]) -> String {
        let mut text = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(3) {
            text = match self.below(4) {
                0 => self.bytes(&text),
                1 => self.words(&text),
                _ => self.values(&text, corpus),
            };
        }
        text
    }

    fn bytes(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(8)).min(bytes.len());
        let byte = u8::try_from(self.below(256)).unwrap();
        match self.below(3) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.insert(at, byte),
            _ => bytes[at..end].fill(byte),
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Replaces a random word or number of the text.
    fn words(&mut self, text: &str) -> String {
        let is_word = |c: char| c.is_alphanumeric() || "_.-+".contains(c);
        let starts: Vec<_> = (text.char_indices())
            .filter(|(at, c)| is_word(*c) && !text[..*at].ends_with(is_word))
            .map(|(at, _)| at)
            .collect();
        let Some(start) = starts.get(self.below(starts.len())).copied() else {
            return self.word().to_owned();
        };
        let rest = &text[start..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        format!("{}{}{}", &text[..start], self.word(), &rest[length..])
    }

    /// Replaces or removes a value in a JSON text. If the text is not JSON, changes bytes of the
    /// text instead.
    fn values(&mut self, text: &str, corpus: &[String]) -> String {
        let Ok(mut document) = serde_json::from_str::<Value>(text) else { return self.bytes(text) };
        let other = serde_json::from_str(&corpus[self.below(corpus.len())]).unwrap_or_default();
        let new = match self.below(3) {
            0 => self.node(&mut document.clone()).clone(),
            1 => self.node(&mut { other }).clone(),
            _ => serde_json::from_str(self.word()).unwrap_or_default(),
        };
        let removes = self.below(4) == 0;
        let which = self.below(64);
        let node = self.node(&mut document);
        match node {
            Value::Object(members) if removes && !members.is_empty() => {
                let name = members.keys().nth(which % members.len()).cloned().unwrap();
                members.remove(&name);
            }
            Value::Array(values) if removes && !values.is_empty() => {
                values.remove(which % values.len());
            }
            Value::Array(values) if which == 0 => values.push(new),
            _ => *node = new,
        }
        document.to_string()
    }

    /// Returns a random value inside the JSON value `root`.
    fn node<'a>(&mut self, root: &'a mut Value) -> &'a mut Value {
        let stops = self.below(6) == 0;
        let down = match &*root {
            Value::Object(members) if !stops => members.len(),
            Value::Array(values) if !stops => values.len(),
            _ => 0,
        };
        if down == 0 {
            return root;
        }
        let which = self.below(down);
        match root {
            Value::Object(members) => self.node(members.values_mut().nth(which).unwrap()),
            Value::Array(values) => self.node(&mut values[which]),
            _ => root,
        }
    }
}
