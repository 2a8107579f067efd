/** The certificates with which passes for Apple Wallet are signed: reads and checks what people upload, and signs. */
import { constants, createPrivateKey, type KeyObject, privateEncrypt, X509Certificate } from "node:crypto";

/** What signs passes, in PEM. The key is not encrypted. */
export interface PassCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly intermediate: string;
}

export interface UploadedCertificate {
  /** The certificate and its private key, in PEM; or a .p12 file in Base64. */
  readonly certificate: string;
  readonly certificate_password?: string | undefined;
  /** Apple's intermediate certificate, in PEM; or the .cer file in Base64. */
  readonly intermediate_certificate: string;
  readonly pass_type: string;
  readonly team: string;
}

export interface CheckedCertificate extends PassCertificate {
  readonly subject: string;
  readonly endsAt: Date;
}

/** What is wrong with a field of the upload. */
export class CertificateError extends Error {
  readonly field: keyof UploadedCertificate;

  constructor(field: keyof UploadedCertificate, problem: string) {
    super(problem);
    this.field = field;
  }
}

// Loading it takes a third of a start of the service, and few businesses have passes.
const loadForge = async () => (await import("node-forge")).default;

interface Contents {
  readonly certificates: readonly X509Certificate[];
  readonly key: KeyObject;
}

/** Reads an upload. @throws CertificateError that says what to change */
export async function readPassCertificate(
  given: UploadedCertificate,
  now: number,
): Promise<CheckedCertificate> {
  const { certificates, key } = given.certificate.includes("-----BEGIN ")
    ? await readPem(given)
    : await readP12(given);
  if (certificates.length === 0)
    throw new CertificateError("certificate", "has no certificate. Export it together with its private key");
  const own = certificates.find((one) => one.checkPrivateKey(key));
  if (own === undefined)
    throw new CertificateError(
      "certificate",
      "has a private key that does not belong to the certificate. Export both together, from the keychain that made the request",
    );
  checkPassType(own, given);
  checkDates(own, "certificate", now);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  // A larger key would hold up the process with each signature.
  if (key.asymmetricKeyType !== "rsa" || modulusLength > 4096)
    throw new CertificateError(
      "certificate",
      "must have an RSA key of at most 4096 bits, as Apple's pass certificates have",
    );
  const intermediate = readIntermediate(given.intermediate_certificate);
  if (!own.checkIssued(intermediate) || !own.verify(intermediate.publicKey))
    throw new CertificateError(
      "intermediate_certificate",
      `did not issue the certificate, which is issued by: ${oneLine(own.issuer)}`,
    );
  // Phones silently refuse passes of another authority.
  if (!intermediate.subject.split("\n").includes("O=Apple Inc."))
    throw new CertificateError(
      "intermediate_certificate",
      "is not Apple's. Download Worldwide Developer Relations from Apple's page of certificate authorities",
    );
  checkDates(intermediate, "intermediate_certificate", now);
  return {
    certificate: own.toString(),
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    intermediate: intermediate.toString(),
    subject: oneLine(own.subject),
    endsAt: new Date(Math.min(Date.parse(own.validTo), Date.parse(intermediate.validTo))),
  };
}

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

async function readPem({
  certificate,
  certificate_password: passphrase,
}: UploadedCertificate): Promise<Contents> {
  const found = [...certificate.matchAll(blocks)];
  const keyPem = found.find(([, kind]) => kind?.endsWith("PRIVATE KEY"))?.[0];
  if (keyPem === undefined)
    throw new CertificateError(
      "certificate",
      "has no private key. Export the certificate together with its key, as .p12 or PEM",
    );
  const certificates = found.filter(([, kind]) => kind === "CERTIFICATE").map(([pem]) => parse(pem));
  const body = keyPem.replaceAll(/-----.*-----/g, "");
  const rounds = roundsIn(Buffer.from(body, "base64").toString("latin1"), (await loadForge()).asn1);
  // In an encrypted key, all rounds are found: it has some, and no headers, which could hide another encryption.
  const isHidden = keyPem.startsWith("-----BEGIN ENCRYPTED") && (rounds === 0 || body.includes(":"));
  if (rounds > mostRounds || isHidden) throw tooMuch();
  try {
    return { certificates, key: createPrivateKey({ key: keyPem, ...(passphrase && { passphrase }) }) };
  } catch {
    const isEncrypted = /ENCRYPTED/.test(keyPem);
    if (isEncrypted) throw wrongPassword();
    throw new CertificateError("certificate", "has a private key that can't be read. Export it again");
  }
}

const wrongPassword = () =>
  new CertificateError(
    "certificate_password",
    "does not open the certificate. Send the password that was chosen at the export",
  );

/** More rounds of hashing, of all parts together, would hold up the process. Exports have a few thousand. */
const mostRounds = 50_000;

type Asn1 = Awaited<ReturnType<typeof loadForge>>["asn1"];
type Asn1Node = ReturnType<Asn1["fromDer"]>;

/** scrypt (RFC 7914) needs time and memory by three numbers, of which one has no limit. Exports don't have it. */
const scryptOid = Buffer.from("2b06010401da47040b", "hex").toString("latin1");

/** For how many rounds of hashing a structure in DER asks: the sum of the numbers that follow a salt, which is an octet string. */
function roundsIn(bytes: string, asn1: Asn1, depth = 0): number {
  try {
    return roundsOf(asn1.fromDer(bytes, { strict: false, parseAllBytes: false } as never), asn1, depth);
  } catch {
    return 0;
  }
}

function roundsOf({ type, value }: Asn1Node, asn1: Asn1, level: number, before?: Asn1Node): number {
  if (level > 60) return Number.POSITIVE_INFINITY;
  if (Array.isArray(value))
    return (value as Asn1Node[]).reduce(
      (sum, one, index, all) => sum + roundsOf(one, asn1, level + 1, all[index - 1]),
      0,
    );
  if (type === asn1.Type.OCTETSTRING) return roundsIn(value, asn1, level + 1);
  if (type === asn1.Type.OID && value === scryptOid) return Number.POSITIVE_INFINITY;
  const isCount = type === asn1.Type.INTEGER && before?.type === asn1.Type.OCTETSTRING;
  return isCount ? Number(`0x0${Buffer.from(value, "latin1").toString("hex")}`) : 0;
}

const tooMuch = () =>
  new CertificateError(
    "certificate",
    `is protected by scrypt, or by more than ${mostRounds.toLocaleString("en")} rounds of hashing. Export it again with fewer`,
  );

/** Node can't take the parts out of a .p12 file. */
async function readP12({ certificate, certificate_password = "" }: UploadedCertificate): Promise<Contents> {
  const { asn1, pkcs12, pki, util } = await loadForge();
  const bytes = Buffer.from(certificate, "base64").toString("latin1");
  if (roundsIn(bytes, asn1) > mostRounds) throw tooMuch();
  const { pbe } = pki as unknown as { pbe: { getCipher(...named: [string, Asn1Node, string]): unknown } };
  const { getCipher } = pbe;
  let rounds = 0;
  const bags = (() => {
    try {
      const tree = asn1.fromDer(bytes);
      // What is encrypted can have parts that ask for more.
      pbe.getCipher = (oid, parameters, password) => {
        rounds += roundsOf(parameters, asn1, 0);
        if (rounds > mostRounds) throw tooMuch();
        return getCipher(oid, parameters, password);
      };
      const opened = pkcs12.pkcs12FromAsn1(tree, false, certificate_password);
      return opened.safeContents.flatMap(({ safeBags }) => safeBags);
    } catch (error) {
      if (error instanceof CertificateError) throw error;
      if (/password|decrypt/i.test(String(error))) throw wrongPassword();
      throw new CertificateError(
        "certificate",
        "is neither PEM nor a .p12 file in Base64. Send the exported file",
      );
    } finally {
      pbe.getCipher = getCipher;
    }
  })();
  const pemOf = (tree: Parameters<typeof asn1.toDer>[0], kind: string) =>
    `-----BEGIN ${kind}-----\n${util.encode64(asn1.toDer(tree).getBytes(), 64)}\n-----END ${kind}-----\n`;
  const key = bags.find((bag) => bag.key)?.key;
  if (key === undefined || key === null)
    throw new CertificateError(
      "certificate",
      "has no private key. Export the certificate together with its key",
    );
  const certificates = bags.flatMap(({ cert }) =>
    cert ? [parse(pemOf(pki.certificateToAsn1(cert), "CERTIFICATE"))] : [],
  );
  return { certificates, key: createPrivateKey(pki.privateKeyToPem(key)) };
}

function parse(pem: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new CertificateError("certificate", "has a certificate that can't be read. Export it again");
  }
}

function readIntermediate(given: string): X509Certificate {
  try {
    return new X509Certificate(given.includes("-----BEGIN ") ? given : Buffer.from(given, "base64"));
  } catch {
    throw new CertificateError(
      "intermediate_certificate",
      "is no certificate in PEM, and no .cer file in Base64. Download the one of Apple Worldwide Developer Relations",
    );
  }
}

/** The pass type is the UID of the subject, and the team its OU. */
function checkPassType({ subject }: X509Certificate, { pass_type, team }: UploadedCertificate): void {
  const part = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(subject)?.[1];
  const [passType, owner] = [part("UID"), part("OU")];
  if (passType?.startsWith("pass.") !== true)
    throw new CertificateError(
      "certificate",
      `is no certificate for passes, but for: ${oneLine(subject)}. Make one of the type Pass Type ID Certificate`,
    );
  if (passType !== pass_type)
    throw new CertificateError("pass_type", `is not that of the certificate, which is for ${passType}`);
  if (owner !== team)
    throw new CertificateError(
      "team",
      `is not that of the certificate, which belongs to ${owner ?? "no team"}`,
    );
}

function checkDates(
  { validFrom, validTo }: X509Certificate,
  field: keyof UploadedCertificate,
  now: number,
): void {
  const day = (text: string) => new Date(text).toISOString().slice(0, 10);
  if (new Date(validTo).getTime() <= now)
    throw new CertificateError(field, `has expired on ${day(validTo)}. Make a new one in your Apple account`);
  if (new Date(validFrom).getTime() > now)
    throw new CertificateError(
      field,
      `is valid only from ${day(validFrom)} on. Check the clock of the service`,
    );
}

const oneLine = (name: string) => name.replaceAll("\n", ", ");

/** What precedes a SHA-256 digest that is signed (RFC 8017 section 9.2). */
const digestInfo = Buffer.from("3031300d060960864801650304020105000420", "hex");

/**
 * Signs the manifest of a pass (PKCS #7, detached). Node makes the signature itself: node-forge, whose keys passkit-generator uses,
 * computes it in JavaScript and holds up the process for 50 to 170 ms; this takes 10.
 */
export async function signManifest(
  manifest: Buffer,
  { certificate, key, intermediate }: PassCertificate,
  at: Date,
): Promise<Buffer> {
  const { asn1, pkcs7, pki, util } = await loadForge();
  const signature = pkcs7.createSignedData();
  signature.content = util.createBuffer(manifest.toString("latin1"));
  signature.addCertificate(certificate);
  signature.addCertificate(intermediate);
  const privateKey = { key: createPrivateKey(key), padding: constants.RSA_PKCS1_PADDING };
  const signer = {
    sign: (digest: { digest(): { getBytes(): string } }) => {
      const bytes = Buffer.from(digest.digest().getBytes(), "latin1");
      return privateEncrypt(privateKey, Buffer.concat([digestInfo, bytes])).toString("latin1");
    },
  };
  signature.addSigner({
    key: signer as never,
    certificate,
    digestAlgorithm: pki.oids.sha256 as string,
    authenticatedAttributes: [
      { type: pki.oids.contentType as string, value: pki.oids.data },
      { type: pki.oids.messageDigest as string },
      { type: pki.oids.signingTime as string, value: at as never },
    ],
  });
  signature.sign({ detached: true });
  return Buffer.from(asn1.toDer(signature.toAsn1()).getBytes(), "latin1");
}
