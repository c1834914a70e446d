//! Addresses with percent signs, as `data:` addresses of pages have them.

/// The bytes that an address stands for: those of each `%XX`, and all others as they are.
///
/// # Panics
///
/// On a percent sign without two hexadecimal digits behind it.
pub fn percent_decoded(address: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = address.bytes();
    while let Some(letter) = letters.next() {
        if letter == b'%' {
            let digits = [letters.next(), letters.next()].map(|digit| digit.expect("two digits"));
            let digits = std::str::from_utf8(&digits).expect("digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
        } else {
            bytes.push(letter);
        }
    }
    bytes
}
