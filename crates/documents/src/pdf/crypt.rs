//! Undoes the encryption of files that open without a password (ISO 32000-2, 7.6): RC4, AES-128 and AES-256.

use std::borrow::Cow;

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockCipherDecrypt, BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use aes::cipher::{KeyInit, StreamCipher};
use aes::{Aes128, Aes256};
use md5::Md5;
use rc4::Rc4;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::object::{ObjectRef, PdfDict, PdfObject, PdfStream};

/// Padding of short passwords (algorithm 2). The padded empty password is all of it.
const PASSWORD_PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];
/// Bytes of a block of AES.
const AES_BLOCK_BYTES: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CipherMethod {
    Plain,
    Rc4,
    Aes128,
    Aes256,
}

/// Returns the value of a key, following references.
type GetValue<'g> = &'g dyn Fn(&PdfDict, &[u8]) -> PdfObject;

/// How the strings and streams of a file are decrypted.
#[derive(Debug)]
pub(super) struct Decryption {
    /// `None` if the empty password does not open the file.
    key: Option<Vec<u8>>,
    texts: CipherMethod,
    streams: CipherMethod,
    has_plain_metadata: bool,
}

impl Decryption {
    /// Returns the encryption that a dictionary describes, of the file with this identifier.
    pub(super) fn of(dict: &PdfDict, id: &[u8], get: GetValue<'_>) -> Decryption {
        let number = |key: &[u8]| get(dict, key).number().unwrap_or_default();
        let text = |key: &[u8]| get(dict, key).text().unwrap_or_default().to_vec();
        let version = number(b"V");
        let method = |key: &[u8]| match version as i64 {
            1 | 2 => Some(CipherMethod::Rc4),
            4 | 5 => method_called(dict, get(dict, key).name(), get),
            _ => None,
        };
        let (texts, streams) = (method(b"StrF"), method(b"StmF"));
        let has_plain_metadata = get(dict, b"EncryptMetadata") == PdfObject::Bool(false);
        let handler = SecurityHandler {
            owner: text(b"O"),
            user: text(b"U"),
            user_key: text(b"UE"),
            owner_key: text(b"OE"),
            permissions: number(b"P") as i64 as u32,
            revision: number(b"R") as i64,
            length: match version as i64 {
                1 => 5,
                4 => 16,
                _ => (number(b"Length") as usize / 8).clamp(5, 16),
            },
            id,
            has_plain_metadata,
        };
        let is_known = texts.is_some() && streams.is_some();
        Decryption {
            key: is_known.then(|| handler.empty_password_key()).flatten(),
            texts: texts.unwrap_or(CipherMethod::Plain),
            streams: streams.unwrap_or(CipherMethod::Plain),
            has_plain_metadata,
        }
    }

    /// Whether it needs a password, or uses an unknown method.
    pub(super) fn is_locked(&self) -> bool {
        self.key.is_none()
    }

    /// Decrypts the bytes of a stream, before its filters are undone.
    pub(super) fn decrypted<'b>(&self, bytes: &'b [u8], stream: &PdfStream) -> Cow<'b, [u8]> {
        let is_plain = match stream.dict.get(b"Type").name() {
            b"XRef" => true,
            b"Metadata" => self.has_plain_metadata,
            _ => false,
        };
        if is_plain {
            bytes.into()
        } else {
            self.undo(self.streams, bytes, stream.id)
        }
    }

    /// Decrypts a stream with its own crypt filter (7.4.10), called `name` in the dictionary of encryption. Returns `None` if
    /// that has no such filter.
    pub(super) fn decrypted_by<'b>(
        &self,
        (dict, name): (&PdfDict, &[u8]),
        get: GetValue<'_>,
        bytes: &'b [u8],
        stream: &PdfStream,
    ) -> Option<Cow<'b, [u8]>> {
        let method = method_called(dict, name, get)?;
        Some(self.undo(method, bytes, stream.id))
    }

    /// Decrypts the strings in the object `id`.
    pub(super) fn decrypt_texts(&self, object: &mut PdfObject, id: ObjectRef) {
        match object {
            PdfObject::Text(text) => *text = self.undo(self.texts, text, id).into_owned(),
            PdfObject::Array(items) => {
                for item in items {
                    self.decrypt_texts(item, id);
                }
            }
            PdfObject::Dict(dict) => {
                for (_, value) in &mut dict.0 {
                    self.decrypt_texts(value, id);
                }
            }
            _ => {}
        }
    }

    fn undo<'b>(&self, method: CipherMethod, bytes: &'b [u8], id: ObjectRef) -> Cow<'b, [u8]> {
        let Some(key) = &self.key else {
            return bytes.into();
        };
        match method {
            CipherMethod::Plain => bytes.into(),
            CipherMethod::Rc4 => rc4(&object_key(key, id, b""), bytes).into(),
            CipherMethod::Aes128 => unpadded::<Aes128>(&object_key(key, id, b"sAlT"), bytes).into(),
            CipherMethod::Aes256 => unpadded::<Aes256>(key, bytes).into(),
        }
    }
}

/// Returns the method of the crypt filter `name` in the dictionary of encryption; `None` if it is unknown.
fn method_called(dict: &PdfDict, name: &[u8], get: GetValue<'_>) -> Option<CipherMethod> {
    if matches!(name, b"" | b"Identity") {
        return Some(CipherMethod::Plain);
    }
    let filter = get(get(dict, b"CF").dict(), name);
    Some(match get(filter.dict(), b"CFM").name() {
        b"None" => CipherMethod::Plain,
        b"V2" => CipherMethod::Rc4,
        b"AESV2" => CipherMethod::Aes128,
        b"AESV3" => CipherMethod::Aes256,
        _ => return None,
    })
}

/// The fields of the standard security handler (7.6.4).
struct SecurityHandler<'e> {
    owner: Vec<u8>,
    user: Vec<u8>,
    user_key: Vec<u8>,
    owner_key: Vec<u8>,
    permissions: u32,
    revision: i64,
    /// Bytes of the key.
    length: usize,
    id: &'e [u8],
    has_plain_metadata: bool,
}

impl SecurityHandler<'_> {
    /// Returns the key of the file, if the empty password opens it as its user or owner.
    fn empty_password_key(&self) -> Option<Vec<u8>> {
        match self.revision {
            2..=4 => self
                .key(&PASSWORD_PADDING)
                .or_else(|| self.key(&self.user_password()?)),
            5 | 6 => self.key_of_256_bits(),
            _ => None,
        }
    }

    /// Returns the user's password, if the owner's is empty (algorithms 3 and 7), of revisions 2 to 4.
    fn user_password(&self) -> Option<Vec<u8>> {
        let mut key = Md5::digest(PASSWORD_PADDING).to_vec();
        if self.revision >= 3 {
            key = (0..50).fold(key, |key, _| Md5::digest(&key).to_vec());
        }
        key.truncate(self.length);
        let last = if self.revision >= 3 { 19 } else { 0 };
        let owner = self.owner.get(..32)?.to_vec();
        Some(
            (0..=last)
                .rev()
                .fold(owner, |text, round| rc4_with(&key, round, &text)),
        )
    }

    /// Returns the key of revisions 2 to 4, if the padded `password` is right (algorithms 2, 4 and 5).
    fn key(&self, password: &[u8]) -> Option<Vec<u8>> {
        let mut hash = Md5::new();
        hash.update(password);
        hash.update(self.owner.get(..32)?);
        hash.update(self.permissions.to_le_bytes());
        hash.update(self.id);
        if self.revision >= 4 && self.has_plain_metadata {
            hash.update([0xff; 4]);
        }
        let mut key = hash.finalize().to_vec();
        key.truncate(self.length);
        let rounds = if self.revision >= 3 { 50 } else { 0 };
        for _ in 0..rounds {
            key = Md5::digest(&key).to_vec();
            key.truncate(self.length);
        }
        let proof = match self.revision {
            2 => rc4(&key, &PASSWORD_PADDING),
            _ => {
                let mut hash = Md5::new();
                hash.update(PASSWORD_PADDING);
                hash.update(self.id);
                (0..20).fold(hash.finalize().to_vec(), |proof, round| {
                    rc4_with(&key, round, &proof)
                })
            }
        };
        self.user.starts_with(&proof).then_some(key)
    }

    /// Returns the key of revisions 5 and 6, if the empty password is the user's or the owner's (algorithm 2.A).
    fn key_of_256_bits(&self) -> Option<Vec<u8>> {
        let user = self.user.get(..48)?;
        let key = |entry: &[u8], packed: &[u8], user: &[u8]| {
            let (proof, salts) = (entry.get(..32)?, entry.get(32..48)?);
            if self.hash(&salts[..8], user) != proof {
                return None;
            }
            let key = self.hash(&salts[8..], user);
            unchained::<Aes256>(&key, &[0; AES_BLOCK_BYTES], packed.get(..32)?)
        };
        key(user, &self.user_key, &[]).or_else(|| key(&self.owner, &self.owner_key, user))
    }

    /// Returns the hash of the empty password with `salt` and, for the owner's, the user's entry (algorithm 2.B).
    fn hash(&self, salt: &[u8], user: &[u8]) -> [u8; 32] {
        let hash = Sha256::digest([salt, user].concat()).to_vec();
        let hash = match self.revision {
            6 => hardened(hash, user),
            _ => hash,
        };
        let mut first = [0; 32];
        first.copy_from_slice(&hash[..32]);
        first
    }
}

/// Applies the rounds that revision 6 adds to a hash.
fn hardened(mut hash: Vec<u8>, user: &[u8]) -> Vec<u8> {
    for round in 1.. {
        let text = [&hash[..], user].concat().repeat(64);
        let Ok(cipher) = cbc::Encryptor::<Aes128>::new_from_slices(&hash[..16], &hash[16..32])
        else {
            break;
        };
        let bytes = cipher.encrypt_padded_vec::<NoPadding>(&text);
        let sum: u32 = bytes[..16].iter().map(|byte| u32::from(*byte)).sum();
        hash = match sum % 3 {
            0 => Sha256::digest(&bytes).to_vec(),
            1 => Sha384::digest(&bytes).to_vec(),
            _ => Sha512::digest(&bytes).to_vec(),
        };
        let last = bytes.last().copied().unwrap_or_default();
        if round >= 64 && i32::from(last) <= round - 32 {
            break;
        }
    }
    hash
}

/// Returns the key of one object (algorithm 1).
fn object_key(key: &[u8], id: ObjectRef, salt: &[u8]) -> Vec<u8> {
    let mut hash = Md5::new();
    hash.update(key);
    hash.update(&id.number.to_le_bytes()[..3]);
    hash.update(id.generation.to_le_bytes());
    hash.update(salt);
    let mut own = hash.finalize().to_vec();
    own.truncate(key.len() + 5);
    own
}

/// Applies RC4 with each byte of the key XORed with `round`.
fn rc4_with(key: &[u8], round: u8, bytes: &[u8]) -> Vec<u8> {
    let key: Vec<_> = key.iter().map(|byte| byte ^ round).collect();
    rc4(&key, bytes)
}

fn rc4(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    if let Ok(mut cipher) = Rc4::new_from_slice(key) {
        cipher.apply_keystream(&mut text);
    }
    text
}

/// Decrypts `bytes`, which start with the initial block of the chain and end with padding.
fn unpadded<C: BlockCipherDecrypt + KeyInit>(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let Some((start, bytes)) = bytes.split_first_chunk::<AES_BLOCK_BYTES>() else {
        return Vec::new();
    };
    let mut text = unchained::<C>(key, start, bytes).unwrap_or_default();
    let padding = text.last().map_or(0, |last| usize::from(*last));
    if (1..=AES_BLOCK_BYTES).contains(&padding) {
        text.truncate(text.len() - padding);
    }
    text
}

/// Decrypts whole blocks, chained from `start` (CBC). Returns `None` if the key has a wrong length.
fn unchained<C: BlockCipherDecrypt + KeyInit>(
    key: &[u8],
    start: &[u8; AES_BLOCK_BYTES],
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let whole = bytes.len() - bytes.len() % AES_BLOCK_BYTES;
    let cipher = cbc::Decryptor::<C>::new_from_slices(key, start).ok()?;
    cipher.decrypt_padded_vec::<NoPadding>(&bytes[..whole]).ok()
}
