"""Generated mails: by Python's email, and by the mail programs and libraries that are installed.

Those of Python are the same for the same seed. A letter is what another program writes: its texts hold names, long lines and words of
other scripts, which must be coded.
"""
import base64, binascii, dataclasses, email.base64mime, email.generator, email.header, io, os, pathlib, random, re, shutil, subprocess

from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

NAME = re.compile(r"10\.5555/[a-z]+\d+")
# Charsets that can write the words of a text.
TEXTS = [("utf-8", "αβγ café"), ("iso-8859-1", "café"), ("koi8-r", "привет"), ("shift_jis", "日本"), ("us-ascii", "plain"), ("gb18030", "中文")]


class Mails:
    def __init__(self, seed):
        self.random, self.count = random.Random(seed), 0

    def name(self):
        self.count += 1
        return f"10.5555/{self.random.choice(['abc', 'x', 'longer'])}{self.count}"

    def words(self, extra):
        return "\n".join(f"{extra} see {self.name()} for more, " + "word " * self.random.randrange(12) for _ in range(self.random.randrange(1, 9))) + "\n"

    def text(self):
        charset, extra = self.random.choice(TEXTS)
        part = MIMEText(self.words(extra), self.random.choice(["plain", "plain", "html"]), charset)
        if self.random.random() < .5:
            coding = self.random.choice(["quoted-printable", "base64", "8bit"])
            raw = part.get_payload(decode=True)
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = coding
            encode = {"quoted-printable": lambda b: binascii.b2a_qp(b).decode("ascii"), "base64": lambda b: email.base64mime.body_encode(b),
                      "8bit": lambda b: b.decode("ascii", "surrogateescape")}[coding]
            part.set_payload(encode(raw))
        return part

    def attachment(self):
        part = MIMEApplication(self.words("file").encode())
        name = self.random.choice(["a.txt", "a b.txt", "größe.txt", "x" * 90 + ".txt"])
        part.add_header("Content-Disposition", "attachment", filename=name if name.isascii() else ("utf-8", "", name))
        return part

    def part(self, depth):
        kind = self.random.random()
        if depth < 3 and kind < .25:
            whole = MIMEMultipart(self.random.choice(["mixed", "alternative", "related", "digest"]))
            for _ in range(self.random.randrange(1, 4)):
                whole.attach(self.part(depth + 1))
            return whole
        if depth < 3 and kind < .35:
            return MIMEMessage(self.message(depth + 1))
        return self.text() if kind < .8 else self.attachment()

    def message(self, depth=0):
        message = self.part(depth)
        if message.get_content_maintype() == "message":
            whole = MIMEMultipart()
            whole.attach(message)
            message = whole
        charset, extra = self.random.choice(TEXTS)
        message["From"], message["To"] = "a@b.org", "c@d.org"
        message["Subject"] = email.header.Header(f"{extra} {self.name()} " + "word " * self.random.randrange(20), charset)
        message["Date"] = "Mon, 01 Jan 2024 00:00:00 +0000"
        if self.random.random() < .3:
            message["X-Paper"] = self.name()
        return message

    def bytes(self):
        """A mail as bytes, with what email does not write by itself."""
        message, out = self.message(), io.BytesIO()
        email.generator.BytesGenerator(out, mangle_from_=False).flatten(message)
        data = out.getvalue()
        if self.random.random() < .3:
            data = re.sub(rb'boundary="([^"]{10})([^"]*)"', rb'boundary*0="\1";\n boundary*1="\2"', data)
        if self.random.random() < .3:
            data = self.random.choice([b"Comments: none\n", b"Content-Length: 100\n", b"Resent-From: a@b.org\n"]) + data
        return data.replace(b"\n", b"\r\n") if self.random.random() < .3 else data


@dataclasses.dataclass
class Letter:
    subject: str
    text: str
    #: A web page, which the programs of terminals do not write.
    page: str
    #: The bytes of an attached file.
    file: str

    def line(self):
        """The letter in the form that the programs read."""
        return "\t".join(base64.b64encode(part.encode()).decode() for part in dataclasses.astuple(self))

    def names(self, has_page):
        return set(NAME.findall(" ".join([self.subject, self.text, self.file, self.page if has_page else ""])))


def letter(mails):
    """A letter with new names."""
    words = lambda: mails.random.choice(TEXTS)[1] + " " + "word " * mails.random.randrange(30)
    text = lambda: "".join(f"{words()}see {mails.name()} and https://doi.org/{mails.name()} {words()}\n" for _ in range(mails.random.randrange(1, 8)))
    return Letter(f"{words()}{mails.name()}", text(), f"<html><body><p>{text()}</p></body></html>\n", text())


#: Programs that read letters from standard input, each a line, and write the mails 0, 1, ... in the folder of their first argument.
PERL = """use strict; use MIME::Base64; my $at = 0;
while (<STDIN>) { chomp; my ($subject, $text, $page, $file) = map { decode_base64($_) } split /\\t/;
  open(my $out, ">", "$ARGV[0]/" . $at++) or die; print $out compose($subject, $text, $page, $file); }
"""
LITE = "use MIME::Lite; use Encode;" + PERL + """sub compose { my ($subject, $text, $page, $file) = @_;
  my $mail = MIME::Lite->new(From => 'a@b.org', To => 'c@d.org', Type => 'multipart/mixed', Subject => encode('MIME-Header', decode('UTF-8', $subject)));
  $mail->attach(Type => 'text/plain; charset=UTF-8', Encoding => 'quoted-printable', Data => $text);
  $mail->attach(Type => 'text/html; charset=UTF-8', Encoding => '8bit', Data => $page);
  $mail->attach(Type => 'application/octet-stream', Encoding => 'base64', Filename => 'a.txt', Data => $file);
  return $mail->as_string; }"""
EMAIL_MIME = "use Email::MIME; use Encode;" + PERL + """sub compose { my ($subject, $text, $page, $file) = @_;
  my $part = sub { Email::MIME->create(attributes => {content_type => $_[0], charset => 'UTF-8', encoding => $_[1]}, body => $_[2]) };
  my $both = Email::MIME->create(attributes => {content_type => 'multipart/alternative'},
    parts => [$part->('text/plain', 'base64', $text), $part->('text/html', 'quoted-printable', $page)]);
  return Email::MIME->create(header_str => [From => 'a@b.org', To => 'c@d.org', Subject => decode('UTF-8', $subject)],
    attributes => {content_type => 'multipart/mixed'}, parts => [$both, $part->('application/octet-stream', 'base64', $file)])->as_string; }"""
ENTITY = "use MIME::Entity; use MIME::Words;" + PERL + """sub compose { my ($subject, $text, $page, $file) = @_;
  my $mail = MIME::Entity->build(From => 'a@b.org', To => 'c@d.org', Type => 'multipart/mixed',
    Subject => MIME::Words::encode_mimewords($subject, Charset => 'UTF-8'));
  $mail->attach(Type => 'text/plain', Charset => 'UTF-8', Encoding => '-SUGGEST', Data => $text);
  $mail->attach(Type => 'text/html', Charset => 'UTF-8', Encoding => 'quoted-printable', Data => $page);
  $mail->attach(Type => 'application/octet-stream', Encoding => 'base64', Filename => 'a.txt', Data => $file);
  return $mail->as_string; }"""
PHP = """require '/usr/share/php/libphp-phpmailer/autoload.php';
for ($at = 0; ($line = fgets(STDIN)) !== false; $at++) { [$subject, $text, $page, $file] = array_map('base64_decode', explode("\\t", trim($line, "\\n")));
  $mail = new PHPMailer\\PHPMailer\\PHPMailer(true); $mail->CharSet = 'UTF-8'; $mail->Encoding = ['quoted-printable', 'base64', '8bit'][$at % 3];
  $mail->setFrom('a@b.org'); $mail->addAddress('c@d.org'); $mail->Subject = $subject; $mail->isHTML(); $mail->Body = $page; $mail->AltBody = $text;
  $mail->addStringAttachment($file, 'größe.txt'); $mail->preSend(); file_put_contents("$argv[1]/$at", $mail->getSentMIMEMessage()); }"""
RUBY = """require 'mail'
$stdin.each_line.with_index do |line, at| subject, body, page, file = line.chomp.split("\\t", -1).map { |part| part.unpack1('m').force_encoding('UTF-8') }
  mail = Mail.new(charset: 'UTF-8', from: 'a@b.org', to: 'c@d.org', subject: subject)
  mail.text_part = Mail::Part.new { content_type 'text/plain; charset=UTF-8'; body body }
  mail.html_part = Mail::Part.new { content_type 'text/html; charset=UTF-8'; body page }
  mail.add_file(filename: 'a.txt', content: file); File.binwrite("#{ARGV[0]}/#{at}", mail.to_s) end"""
NODE = """const fs = require('fs'), Composer = require('nodemailer/lib/mail-composer');
fs.readFileSync(0, 'utf8').trimEnd().split('\\n').forEach((line, at) => { const [subject, text, html, file] = line.split('\\t').map(part => Buffer.from(part, 'base64'));
  new Composer({from: 'a@b.org', to: 'c@d.org', subject: subject.toString(), text, html, textEncoding: ['base64', 'quoted-printable', undefined][at % 3],
    attachments: [{filename: 'größe.txt', content: file}]}).compile().build((error, mail) => fs.writeFileSync(process.argv[1] + '/' + at, mail)); });"""
JAVA = """import java.io.*; import java.util.*; import javax.mail.*; import javax.mail.internet.*;
public class Compose { public static void main(String[] argv) throws Exception { BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
  String line; for (int at = 0; (line = lines.readLine()) != null; at++) { List<String> parts = new ArrayList<>();
    for (String part : line.split("\\t")) parts.add(new String(Base64.getDecoder().decode(part), "UTF-8"));
    MimeMessage mail = new MimeMessage((Session) null); mail.setFrom("a@b.org"); mail.setRecipients(Message.RecipientType.TO, "c@d.org");
    mail.setSubject(parts.get(0), "UTF-8"); MimeMultipart all = new MimeMultipart();
    for (int number = 1; number < 4; number++) { MimeBodyPart part = new MimeBodyPart(); part.setText(parts.get(number), "UTF-8", number == 2 ? "html" : "plain");
      if (number == 3) part.setFileName("a.txt"); all.addBodyPart(part); }
    mail.setContent(all); try (OutputStream out = new FileOutputStream(argv[0] + "/" + at)) { mail.writeTo(out); } } } }"""


def run(command, folder, letters, **options):
    """-> the mails that a program writes for the letters, with the names that each must have"""
    subprocess.run([*command, str(folder)], input="".join(letter.line() + "\n" for letter in letters), text=True, check=True, **options)
    return [((folder / str(at)).read_bytes(), letter.names(True)) for at, letter in enumerate(letters)]


def java(folder, letters):
    source = folder / "Compose.java"
    source.write_text(JAVA)
    return run(["java", "-cp", "/usr/share/java/javax.mail.jar:/usr/share/java/javax.activation.jar", str(source)], folder, letters)


def node(folder, letters):
    subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), "nodemailer"], check=True, stdout=subprocess.DEVNULL)
    return run(["node", "-e", NODE], folder, letters, cwd=folder)


def terminal(command):
    """For programs that pass their mail to another one, which is a script that keeps it."""

    def compose(folder, letters):
        keep, file = folder / "keep", folder / "a.txt"
        keep.write_text(f"#!/bin/sh\ncat > {folder}/mail\n")
        keep.chmod(0o755)
        mails = []
        for letter in letters:
            file.write_text(letter.file)
            filled = [part.format(keep=keep, subject=letter.subject, file=file) for part in command]
            environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)}
            subprocess.run(filled, input=letter.text, text=True, check=True, env=environment)
            mails.append(((folder / "mail").read_bytes(), letter.names(False)))
        return mails

    return compose


def piped(*command):
    return lambda folder, letters: run(command, folder, letters)


MUTT = ["mutt", "-n", "-F", "/dev/null", "-e", "set sendmail='{keep}' copy=no sendmail_wait=0 from=a@b.org", "-s", "{subject}", "-a", "{file}", "--", "c@d.org"]
NAIL = ["s-nail", "-:/", "-Sv15-compat", "-Smta={keep}", "-Sfrom=a@b.org", "-s", "{subject}", "-a", "{file}", "c@d.org"]
#: What composes letters, and a command that succeeds where it is installed.
PROGRAMS = {
    "MIME::Lite": (["perl", "-MMIME::Lite", "-e1"], piped("perl", "-e", LITE)),
    "Email::MIME": (["perl", "-MEmail::MIME", "-e1"], piped("perl", "-e", EMAIL_MIME)),
    "MIME-tools": (["perl", "-MMIME::Entity", "-e1"], piped("perl", "-e", ENTITY)),
    "PHPMailer": (["php", "-r", "exit((int) !is_file('/usr/share/php/libphp-phpmailer/autoload.php'));"], piped("php", "-r", PHP, "--")),
    "Ruby's mail": (["ruby", "-rmail", "-e1"], piped("ruby", "-e", RUBY)),
    "nodemailer": (["npm", "view", "nodemailer", "version"], node),
    "JavaMail": (["sh", "-c", "javac -version && test -e /usr/share/java/javax.mail.jar"], java),
    "mutt": (["mutt", "-v"], terminal(MUTT)),
    "s-nail": (["s-nail", "-V"], terminal(NAIL)),
}


def is_there(test):
    return shutil.which(test[0]) is not None and subprocess.run(test, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def by_program(name, folder, letters):
    """-> mails and names by a program; None if it is not installed"""
    test, compose = PROGRAMS[name]
    if not is_there(test):
        return None
    folder = pathlib.Path(folder) / re.sub(r"\W+", "-", name)
    folder.mkdir()
    return compose(folder, letters)
