//! The Handle API of the proxy: the path of a name, and its replies (P4, P6).

use doisift_core::Doi;
use serde::Deserialize;
use serde_json::Value;

use crate::fetch::ServiceReply;
use crate::{HandleAnswer, ServiceFailure};

/// Returns the path of a name below the endpoint, with the two types that an answer needs.
pub(crate) fn path(doi: &Doi) -> String {
    let uri = doi.to_doi_uri();
    let name = uri.trim_start_matches("doi:");
    format!("api/handles/{name}?type=URL&type=HS_ALIAS")
}

/// The fields of the documented body that answers need.
#[derive(Deserialize)]
struct HandleBody {
    #[serde(rename = "responseCode")]
    code: u32,
    #[serde(default)]
    handle: String,
    #[serde(default)]
    values: Vec<HandleValue>,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct HandleValue {
    #[serde(rename = "type")]
    kind: String,
    data: ValueData,
}

#[derive(Deserialize)]
struct ValueData {
    format: String,
    value: Value,
}

/// Reads the service's answer about `doi`. Does not follow an alias.
///
/// A page with status 404 is not an answer, nor is a record whose code contradicts the status.
pub(crate) fn parse_answer(
    doi: &Doi,
    reply: &ServiceReply,
) -> Result<HandleAnswer, ServiceFailure> {
    let body = serde_json::from_slice::<HandleBody>(&reply.body);
    if !matches!(reply.status, 200 | 404 | 500) || (reply.status != 200 && body.is_err()) {
        return Err(ServiceFailure::Http(reply.status));
    }
    let body = body.map_err(|error| ServiceFailure::Body(error.to_string()))?;
    match (body.code, reply.status) {
        (1, 200) | (100 | 200, 200 | 404) => {}
        (1 | 100 | 200, status) => return Err(ServiceFailure::Http(status)),
        (code, _) => {
            let message = body.message;
            return Err(ServiceFailure::Service { code, message });
        }
    }
    if !body.handle.eq_ignore_ascii_case(doi.as_str()) {
        let other = format!("it is about {:?}", body.handle);
        return Err(ServiceFailure::Body(other));
    }
    Ok(match body.code {
        100 => HandleAnswer::Unknown,
        200 => HandleAnswer::WithoutValues,
        _ => found(body.values),
    })
}

fn found(values: Vec<HandleValue>) -> HandleAnswer {
    let of_type = |kind: &str| {
        let wanted = values.iter().filter(|value| value.kind == kind);
        wanted
            .filter_map(|value| value.data.text())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    match of_type("HS_ALIAS").into_iter().next() {
        Some(target) => HandleAnswer::Alias {
            target,
            answer: None,
        },
        None => HandleAnswer::Known {
            urls: of_type("URL"),
        },
    }
}

impl ValueData {
    /// Returns the text of format `string`. Values in other formats are bytes or structures, without an address.
    fn text(&self) -> Option<&str> {
        self.value.as_str().filter(|_| self.format == "string")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, status: u16, body: &str) -> Result<HandleAnswer, ServiceFailure> {
        let body = body.as_bytes().to_vec();
        parse_answer(&Doi::new(name).unwrap(), &ServiceReply { status, body })
    }

    /// The document's first example of P4, with the braces and the address that are missing in its copy.
    const EXAMPLE: &str = r#"{"responseCode":1,"handle":"10.1000/1","values":[
        {"index":100,"type":"HS_ADMIN","data":{"format":"admin","value":{"handle":"0.NA/10.1000","index":200,
            "permissions":"011111111111"}},"ttl":86400,"timestamp":"2000-04-13T15:08:57Z"},
        {"index":1,"type":"URL","data":{"format":"string","value":"http://www.doi.org/index.html"},"ttl":86400,
            "timestamp":"2004-09-10T19:49:59Z"}]}"#;

    /// The document's second example, which asks for type URL alone.
    const EXAMPLE_OF_TYPE: &str = r#"{"responseCode":1,"handle":"10.1000/1","values":[
        {"index":1,"type":"URL","data":{"format":"string","value":"http://www.doi.org/index.html"},"ttl":86400,
            "timestamp":"2004-09-10T19:49:59Z"}]}"#;

    #[test]
    fn p4_the_examples_of_the_document() {
        let known = HandleAnswer::Known {
            urls: vec!["http://www.doi.org/index.html".to_owned()],
        };
        assert_eq!(said("10.1000/1", 200, EXAMPLE), Ok(known.clone()));
        assert_eq!(said("10.1000/1", 200, EXAMPLE_OF_TYPE), Ok(known));
    }

    #[test]
    fn p4_every_format_of_values_is_read() {
        let body = r#"{"responseCode":1,"handle":"10.1000/1","values":[
            {"index":1,"type":"X","data":{"format":"base64","value":"AAE="},"ttl":"2030-01-01T00:00:00Z"},
            {"index":2,"type":"X","data":{"format":"hex","value":"0001"},"ttl":1},
            {"index":3,"type":"HS_VLIST","data":{"format":"vlist","value":[{"handle":"0.NA/1","index":1}]},"ttl":1},
            {"index":4,"type":"HS_SITE","data":{"format":"site","value":{"version":1}},"ttl":1},
            {"index":5,"type":"URL","data":{"format":"string","value":"https://a.example/1"}},
            {"index":6,"type":"URL","data":{"format":"string","value":"https://a.example/2"}}]}"#;
        let urls = ["https://a.example/1", "https://a.example/2"].map(str::to_owned);
        let urls = urls.to_vec();
        assert_eq!(
            said("10.1000/1", 200, body),
            Ok(HandleAnswer::Known { urls })
        );
    }

    #[test]
    fn p4_response_codes_are_told_apart() {
        let body =
            |code| format!(r#"{{"responseCode":{code},"handle":"10.1000/A","message":"m"}}"#);
        let name = "10.1000/a";
        assert_eq!(said(name, 404, &body(100)), Ok(HandleAnswer::Unknown));
        assert_eq!(said(name, 200, &body(200)), Ok(HandleAnswer::WithoutValues));
        let failed = |code| {
            let message = "m".to_owned();
            Err(ServiceFailure::Service { code, message })
        };
        assert_eq!(said(name, 500, &body(2)), failed(2));
        assert_eq!(said(name, 200, &body(4)), failed(4));
        for (status, code) in [(404, 1), (500, 1), (500, 200), (500, 100), (503, 100)] {
            assert_eq!(
                said(name, status, &body(code)),
                Err(ServiceFailure::Http(status))
            );
        }
    }

    #[test]
    fn p4_what_is_not_the_interface_is_no_answer() {
        let page = "<html>Not Found</html>";
        for status in [404, 403, 429, 500, 502] {
            assert_eq!(
                said("10.1000/1", status, page),
                Err(ServiceFailure::Http(status))
            );
        }
        let other = r#"{"responseCode":100,"handle":"10.1000/2"}"#;
        for body in [page, "", "[]", "{}", &EXAMPLE[..EXAMPLE.len() / 2], other] {
            let said = said("10.1000/1", 200, body);
            assert!(
                matches!(said, Err(ServiceFailure::Body(_))),
                "{body}: {said:?}"
            );
        }
    }

    #[test]
    fn p6_an_alias_is_reported() {
        let body = r#"{"responseCode":1,"handle":"10.1000/1","values":[
            {"index":1,"type":"HS_ALIAS","data":{"format":"string","value":"10.1000/2"},"ttl":86400}]}"#;
        let alias = HandleAnswer::Alias {
            target: "10.1000/2".to_owned(),
            answer: None,
        };
        assert_eq!(said("10.1000/1", 200, body), Ok(alias));
    }

    #[test]
    fn p4_names_are_encoded_as_in_the_doi_uri() {
        let doi = Doi::new("10.1000/a/b#?%é,(c)").unwrap();
        assert_eq!(
            path(&doi),
            "api/handles/10.1000/a%2Fb%23%3F%25%C3%A9,(c)?type=URL&type=HS_ALIAS"
        );
    }
}
