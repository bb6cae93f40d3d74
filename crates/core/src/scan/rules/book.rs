//! The rules by their ids: where each applies, whether an end that it makes is a guess, and its evidence.
//!
//! `scripts/bench ablate` switches each off and prints what it catches on labelled data and what it damages among registered
//! names. A list of words is one rule; each of its words is an item, which can be switched off alone.

/// Where a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Applies {
    /// Wherever a name is.
    Anywhere,
    /// After a label, a scheme or a proxy.
    Labelled,
    /// Where nothing that encloses the name says where it ends.
    Prose,
    /// Inside marks that hold just the name, or open before it.
    Enclosed,
    /// In the path of a URL whose host is no proxy.
    Path,
    /// In a URL.
    Url,
    /// In a web page.
    Page,
    /// In lines that the layout of a page broke.
    Printed,
    /// In dirty data, which [`clean`](crate::clean()) reads.
    Dirt,
}

macro_rules! book {
    ($($rule:ident $id:literal $applies:ident $certainty:ident $damages:literal $catches:literal;)*) => {
        /// A rule on where names start and end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!("`", $id, "`: ", $catches, ".")] $rule,)*
        }

        impl Rule {
            /// All rules, in the order of the modules that hold them.
            pub const ALL: [Rule; [$($id),*].len()] = [$(Rule::$rule),*];

            const ROWS: [Row; Rule::ALL.len()] = [$(Row {
                id: $id,
                applies: Applies::$applies,
                is_guess: stringify!($certainty).len() == "guess".len(),
                damages: $damages,
                catches: $catches,
            }),*];
        }
    };
}

struct Row {
    id: &'static str,
    applies: Applies,
    is_guess: bool,
    damages: u32,
    catches: &'static str,
}

// Rule, id, where it applies, whether the end that it makes is a guess, how many of 385,484 registered names it damages
// where it applies, what it catches.
book! {
    InsideNumber      "start.inside-number"      Anywhere certain 0  "a prefix in another number, `110.5555/a`, is none";
    YearPage          "start.year-page"          Anywhere certain 0  "the year at a name's end and a page, `1586-10.2010/full`, are no prefix";
    LongCode          "start.long-code"          Anywhere certain 0  "a registrant code of six digits or more after a hyphen, `2021-10.2365269/`, is inside a name";
    SubfieldCode      "start.subfield-code"      Anywhere certain 0  "a digit after `$` or its like, `$010.5555/a`, is the code of a subfield";
    DoubledIndicator  "start.doubled-indicator"  Labelled certain 0  "of the directory indicator written twice, `10.10.5555/a`, the second counts";
    BrokenPrefix      "start.broken-prefix"      Labelled certain 0  "white space inside a prefix, `doi: 10. 5555/a`, was a break";
    RegistrantCode    "start.registrant-code"    Anywhere certain 0  "a registrant code has four to nine digits, unlike the size of a network, `10.0.0.0/8`";
    IsbnPrefix        "start.isbn-prefix"        Anywhere certain 0  "an ISBN as a prefix, `10.978.86123/45678`, has a title number after it";
    CitationKey       "start.citation-key"       Anywhere certain 0  "the key of a citation starts with a name and is none";
    Numbers           "page.numbers"             Path     certain 0  "four segments of digits are an advertising server's page";
    PrefixPage        "page.prefix"              Path     certain 0  "after `/prefixes/` comes the page of a registrant, not a name";
    MediaFile         "page.media-file"          Page     certain 0  "what ends as a picture, a sound or a film does shows an article";
    Anchor            "page.anchor"              Page     certain 0  "an element's own name is no DOI name";
    Source            "page.source"              Page     certain 0  "the source of a picture is no DOI name";
    MetaMedia         "page.meta-media"          Page     certain 0  "what a `meta` element calls an image, a film or a sound is no DOI name";
    InlineElement     "page.inline-element"      Page     guess   0  "an element for a part of a line starts or ends inside a name, `10.5555/a<b>b</b>`";
    Enclosure         "enclosure"                Enclosed certain 0  "what opens before a name and closes after it bounds the name";
    CellBounds        "enclosure.cell"           Enclosed certain 0  "the cell of a table that holds just a name bounds it";
    HardTag           "raw.tag"                  Anywhere certain 0  "no name goes past an end tag, a comment or an instruction, `10.5555/a</b>`";
    OptionalBreak     "raw.optional-break"       Anywhere certain 0  "`<wbr>` shows nowhere";
    BreakAfterPrefix  "joint.after-prefix"       Labelled guess   0  "white space after the slash of a prefix, `doi: 10.5555/ a1`, was a break";
    BreakAfterMark    "joint.after-mark"         Labelled guess   0  "white space between a slash, hyphen or colon and a word with a digit was a break";
    BreakAfterJournal "joint.after-journal"      Labelled guess   0  "white space after `j.`, which starts the names of one publisher, was a break";
    BreakAfterStop    "joint.after-stop"         Labelled guess   0  "white space after the full stop of a name that has no digit yet was a break";
    BreakInParentheses "joint.in-parentheses"    Labelled guess   0  "white space in the parentheses around a label and its name, `(doi:10.5555/ab. 105692)`, was a break";
    BreakInPath       "joint.in-path"            Path     guess   0  "white space between a prefix in the path of a URL and a word with a long number was a break";
    SiciBlank         "joint.in-sici"            Anywhere guess   0  "white space before the middle of a SICI or in it, `27 [ 32:TLB]2.0.CO;2`, was a break";
    LineEnd           "joint.line-end"           Printed  guess   0  "the end of a full line after a joint of a name was a break";
    EscapedBreak      "escape.break"             Labelled certain 0  "white space that was a break in a name is dropped";
    Backslash         "escape.backslash"         Anywhere certain 0  "JSON, LaTeX and Markdown escape a character with a backslash, `a\\_b`";
    Entity            "escape.entity"            Anywhere certain 0  "an entity of HTML or XML is its character, `a&lt;b`";
    Latex             "escape.latex"             Anywhere certain 10 "braces around one character, and signs in mathematics, are LaTeX's, `a{_}b`";
    Percent           "escape.percent"           Anywhere certain 0  "a URL encodes characters with a percent sign, `a%3Cb`";
    DoubledMark       "escape.badge"             Url      certain 0  "a badge writes hyphens and underscores twice";
    Invisible         "escape.invisible"         Anywhere certain 0  "soft hyphens, zero-width spaces and their like show nowhere";
    WebScheme         "suffix.web-scheme"        Anywhere guess   0  "`http:/` starts a URL that was glued on";
    GluedWord         "suffix.glued-word"        Anywhere guess   0  "a word that follows names in printed references was glued on after a mark";
    FieldMark         "suffix.field-mark"        Enclosed certain 0  "the mark that parts fields ends a name in a field";
    RoundBracket      "suffix.round-bracket"     Prose    certain 0  "`)` that nothing in the name opened was opened before it";
    SquareBracket     "suffix.square-bracket"    Prose    certain 0  "`[` with nothing of a name after its `]` starts a remark, `10.5555/a[1]`";
    EncodedBracket    "suffix.encoded-bracket"   Enclosed certain 0  "a bracket that an enclosed URL encodes is the name's";
    Angle             "suffix.angle"             Anywhere certain 0  "`<` starts markup";
    SiciAngle         "suffix.sici-angle"        Anywhere certain 0  "angle brackets before `3.0.CO;` are the middle of a SICI";
    SiciTail          "suffix.sici-tail"         Anywhere certain 0  "`;2-` is the end of a SICI";
    SiciHash          "suffix.sici-hash"         Anywhere certain 0  "the `#` after `;2-` is the last character of a SICI";
    EncodedAngle      "suffix.encoded-angle"     Anywhere certain 0  "angle brackets that a URL encodes are the name's (H4)";
    Comma             "suffix.comma"             Prose    certain 0  "a comma that is not between digits ends a name";
    Apostrophe        "suffix.apostrophe"        Prose    certain 0  "an apostrophe that is not between letters or digits ends a name";
    Semicolon         "suffix.semicolon"         Anywhere certain 0  "a semicolon with nothing of a name after it ends one";
    Ampersand         "suffix.ampersand"         Anywhere certain 0  "`&` parts parameters of a URL, and ends a name where nothing of one follows";
    Parameter         "suffix.parameter"         Anywhere certain 0  "`name=` or `name:` after a semicolon or ampersand is no part of a name";
    Quote             "suffix.quote"             Anywhere certain 0  "a double quote that was not written inside a word ends a name";
    Query             "suffix.query"             Anywhere certain 0  "a raw `?` starts the query of a URL (U3)";
    Fragment          "suffix.fragment"          Anywhere certain 1  "a raw `#` starts the fragment of a URL (U3)";
    Brace             "suffix.brace"             Prose    certain 0  "a brace is markup";
    Mark              "suffix.mark"              Anywhere certain 0  "a blank, a control, `>`, `}` and a backslash end a name";
    NotGraphic        "suffix.not-graphic"       Anywhere certain 0  "spaces and controls of other scripts end a name (N3)";
    OtherEncoding     "suffix.other-encoding"    Anywhere guess   0  "a byte that is not UTF-8, before a letter or digit, may be a dash or letter of the name";
    ForeignMark       "suffix.foreign-mark"      Anywhere certain 0  "quotes and brackets of print and the punctuation of other scripts end a name";
    OtherScript       "suffix.other-script"      Prose    guess   0  "letters of another script and symbols after a name in Latin letters, `10.5555/a1에서`, are no part of it";
    Dash              "suffix.dash"              Anywhere guess   0  "a typeset dash in a name may be its hyphen: it is kept (U5)";
    EncodedSegment    "suffix.encoded-segment"   Path     certain 0  "who encodes the slash of the prefix encodes all of a name's: a plain one is the URL's";
    BadgeMessage      "suffix.badge-message"     Url      certain 0  "after the last single hyphen of a badge comes a colour";
    FinalSlash        "tail.slash"               Anywhere guess   0  "a final slash is valid but unlikely (P3)";
    FinalStopAlone    "tail.stop-alone"          Enclosed guess   0  "the final full stop of a name that is alone is mostly a slip";
    FinalMark         "tail.mark"                Anywhere certain 1  "prose adds marks to the end of a name";
    FinalEmphasis     "tail.emphasis"            Prose    certain 7  "`*`, `_`, `~`, `$` and `=` at the end are emphasis or a variable's";
    FinalBracket      "tail.bracket"             Anywhere certain 0  "a final bracket without a partner is not the name's";
    LostCharacter     "tail.lost-character"      Anywhere certain 0  "the sign for a character that was lost is none";
    FieldPage         "tail.field-page"          Enclosed guess   0  "the page of a publisher's site at the end of an enclosed name";
    PageWord          "tail.page-word"           Path     certain 0  "a segment that is a page of a publisher's site, whatever comes before it";
    PageSegment       "tail.page"                Path     certain 8  "a last segment that is a word once a digit has come before is a page";
    File              "tail.file"                Path     certain 0  "the ending of a file";
    PathFile          "tail.path-file"           Path     certain 7  "the ending of a file that ends some registered names too";
    Version           "tail.version"             Path     certain 0  "a preprint server's version after a number, `436749v2`";
    ArticleId         "tail.article-id"          Path     certain 0  "one platform adds a number to its names, `10.1093/jme/tjz032/5423051`";
    GluedTitle        "tail.glued-title"         Anywhere guess   0  "the first word of a title was glued to a name, `10.5555/a1Radiative Association`";
    Ellipsis          "end.ellipsis"             Anywhere certain 0  "a name that an ellipsis cut short is none";
    Template          "end.template"             Anywhere certain 0  "source code holds a place for a value, `10.5555/a.{id}`";
    CutShort          "dirt.cut-short"           Dirt     certain 0  "a text that an ellipsis ends was cut short, and names nothing";
    Network           "dirt.network"             Dirt     certain 0  "four numbers and the size of a network, `10.0.0.0/8`, are no name";
    QuotedPrintable   "dirt.quoted-printable"    Dirt     certain 0  "e-mail encodes characters with an equals sign, `a=3Cb`";
    Ligature          "dirt.ligature"            Dirt     certain 0  "a typesetter joined letters";
    SoftHyphen        "dirt.soft-hyphen"         Dirt     certain 0  "a hyphen at the end of a line is shown as `¬`";
    Mojibake          "dirt.mojibake"            Dirt     certain 0  "a character of UTF-8 was read as several of Latin-1";
    NativeDigit       "dirt.native-digit"        Dirt     certain 0  "digits of another script or style, `۱۰.۵۵۵۵/۱`, are those of ASCII";
    Homoglyph         "dirt.homoglyph"           Dirt     certain 0  "a letter of another alphabet inside a Latin word is the one that it looks like";
    Placeholder       "dirt.placeholder"         Dirt     certain 0  "a run of `x` or `n`, `10.5555/xxxxx`, holds the place of a name";
    LookAlike         "dirt.look-alike"          Dirt     certain 0  "full width, and slashes of mathematics";
    FontMark          "dirt.font-mark"           Dirt     certain 0  "LaTeX's fonts show `¡` for `<`, `¿` for `>` and `˙` for `_`";
    LostJoints        "dirt.lost-joints"         Dirt     certain 0  "blanks for the joints of a name, `coli a 00346`, cannot be undone";
    TypesetDash       "dirt.dash"                Dirt     certain 0  "a typeset dash was a hyphen";
    Lead              "dirt.lead"                Dirt     certain 0  "what comes before the name and is no presentation form";
    DirtPrefix        "dirt.prefix"              Dirt     certain 0  "blanks and a full stop typed into a prefix, `10. 5555./a`";
    DirtQuery         "dirt.query"               Dirt     certain 1  "`?` and `#` start what a URL adds";
    Emphasis          "dirt.emphasis"            Dirt     certain 0  "marks of emphasis before a name are after it too";
    DoubledEnd        "dirt.doubled-end"         Dirt     certain 0  "the end of a name is repeated, `x.a007732a007732`";
    GluedText         "dirt.glued"               Dirt     certain 15 "letters that no name has after a digit were glued on";
    Remark            "dirt.remark"              Dirt     certain 3  "a word that starts what follows names in reference lists";
    Host              "dirt.host"                Dirt     certain 0  "a host was glued on, `.jid.sagepub.com`";
    UnclosedBracket   "dirt.unclosed-bracket"    Dirt     certain 0  "a bracket that nothing closes starts a remark";
    ForeignSign       "dirt.foreign-sign"        Dirt     certain 0  "a sign that no registered name holds where it is, `^`, `.-`, `;Doe`";
    ArticleView       "dirt.article-view"        Dirt     certain 0  "one platform's views of an article, `.full.pdf`, after a name with a digit";
    TitlePage         "dirt.title-page"          Dirt     certain 0  "a word of the title page after a digit and a full stop";
    PlaceInPrint      "dirt.place-in-print"      Dirt     certain 0  "volume, pages and year, `,85,1494(2006)`";
    BracketedYear     "dirt.bracketed-year"      Dirt     certain 1  "a year in brackets, `(2006)`";
    Tag               "dirt.tag"                 Dirt     certain 0  "tags are no part of a name";
    Note              "dirt.note"                Dirt     certain 0  "an element that holds a note goes with its text";
    DirtBreak         "dirt.break"               Dirt     certain 0  "white space beside a joint, or before digits, was a break";
    SiciEntity        "dirt.sici-entity"         Dirt     certain 0  "`lt;` and `gt;` in a SICI are entities without their `&`";
    DoubledJoint      "dirt.doubled-joint"       Dirt     certain 0  "a joint is doubled where no registered name doubles it";
    AnotherName       "dirt.another-name"        Dirt     certain 0  "the next name, or the same once more, ends a name";
    Reread            "dirt.reread"              Dirt     certain 0  "a prefix whose digits were read as letters, `1O.5555/a`";
    UnderscoredPrefix "dirt.underscored-prefix"  Dirt     certain 0  "the slash of a name in a file's name is written `_`";
}

impl Rule {
    const fn row(self) -> &'static Row {
        &Rule::ROWS[self as usize]
    }

    /// Its name, which reports and tests call it by.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// Where it applies.
    pub const fn applies(self) -> Applies {
        self.row().applies
    }

    /// Whether an end that it makes is [`guessed`](crate::Mention::guessed): only a registry could say whether the name ends there.
    pub const fn is_guess(self) -> bool {
        self.row().is_guess
    }

    /// How many of 385,484 registered names it damages, each written once where the rule applies.
    pub const fn damages(self) -> u32 {
        self.row().damages
    }

    /// What it catches.
    pub const fn catches(self) -> &'static str {
        self.row().catches
    }
}

impl Rule {
    /// Whether the rule is in force: always, but where a test or `scripts/bench ablate` switched it off.
    pub(crate) fn holds(self) -> bool {
        self.is_in_force(None)
    }

    /// The same for one item of its list.
    pub(crate) fn holds_for(self, item: &str) -> bool {
        self.is_in_force(Some(item))
    }

    /// Whether every rule is in force.
    pub(crate) fn all_hold() -> bool {
        #[cfg(any(test, feature = "ablation"))]
        return !switch::is_any_off();
        #[cfg(not(any(test, feature = "ablation")))]
        true
    }

    #[cfg_attr(not(any(test, feature = "ablation")), allow(unused_variables))]
    fn is_in_force(self, item: Option<&str>) -> bool {
        #[cfg(any(test, feature = "ablation"))]
        return !switch::is_off(self, item);
        #[cfg(not(any(test, feature = "ablation")))]
        true
    }
}

/// Switches a rule off, or one item of its list, for this thread or by the environment.
#[cfg(any(test, feature = "ablation"))]
mod switch {
    use std::cell::RefCell;

    use super::Rule;

    /// A rule, and the item of its list; no item means all.
    type Off = Option<(Rule, Option<String>)>;

    thread_local! {
        static OFF: RefCell<Off> = RefCell::new(named(&std::env::var("DOISIFT_WITHOUT").unwrap_or_default()));
    }

    /// What `id` or `id=item` names.
    fn named(text: &str) -> Off {
        let (id, item) = match text.split_once('=') {
            Some((id, item)) => (id, Some(item.to_owned())),
            None => (text, None),
        };
        let rule = Rule::ALL.into_iter().find(|rule| rule.id() == id)?;
        Some((rule, item))
    }

    pub(super) fn is_off(rule: Rule, item: Option<&str>) -> bool {
        OFF.with_borrow(|off| {
            off.as_ref().is_some_and(|(other, wanted)| {
                *other == rule && wanted.as_deref().is_none_or(|wanted| Some(wanted) == item)
            })
        })
    }

    pub(super) fn is_any_off() -> bool {
        OFF.with_borrow(Option::is_some)
    }

    /// What `run` gives without the rule that `text` names.
    #[cfg(test)]
    pub(in crate::scan::rules) fn without<T>(text: &str, run: impl FnOnce() -> T) -> T {
        let before = OFF.replace(named(text));
        let result = run();
        OFF.replace(before);
        result
    }
}

#[cfg(test)]
pub(super) use switch::without;
