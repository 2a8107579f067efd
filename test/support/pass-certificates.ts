/** Certificates for passes, as Apple issues them, but of an authority of our own. */
import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";

function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

interface Issued {
  readonly certificate: string;
  readonly key: string;
}

let lastSerial = 1000;

interface Wanted {
  readonly address?: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly issuer?: Issued;
  readonly from?: string;
  readonly until?: string;
}

const attributesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([type, value]) => ({ type, value }));
const [userId, commonName, unit, organization] = [
  "0.9.2342.19200300.100.1.1",
  "2.5.4.3",
  "2.5.4.11",
  "2.5.4.10",
];

function issue({ subject, issuer, address, from = "2020-01-01", until = "2120-01-01" }: Wanted): Issued {
  const { publicKey, key } = newKeys();
  const made = forge.pki.createCertificate();
  lastSerial += 1;
  made.serialNumber = `0${lastSerial}`;
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.validity = { notBefore: new Date(from), notAfter: new Date(until) };
  made.setSubject(attributesOf(subject));
  const parent = issuer && forge.pki.certificateFromPem(issuer.certificate);
  made.setIssuer(parent ? parent.subject.attributes : attributesOf(subject));
  made.setExtensions([
    { name: "basicConstraints", cA: issuer === undefined },
    ...(issuer ? [{ name: "extKeyUsage", clientAuth: true, serverAuth: true }] : []),
    ...(address ? [{ name: "subjectAltName", altNames: [{ type: 7, ip: address }] }] : []),
  ]);
  made.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(made), key };
}

/** An authority like Apple's. */
export const makeAuthority = (of = "Apple Inc."): Issued =>
  issue({
    subject: { [commonName]: "Worldwide Developer Relations of a test", [organization]: of },
  });

export const examplePassType = "pass.com.example.card";
const exampleTeam = "A1B2C3D4E5";

/** @param of an authority */
export const issuePassCertificate = (
  of: Issued,
  { passType = examplePassType, ...times }: { passType?: string; from?: string; until?: string } = {},
): Issued =>
  issue({
    ...{ issuer: of, ...times },
    subject: {
      ...{ [userId]: passType, [commonName]: `Pass Type ID: ${passType}` },
      ...{ [unit]: exampleTeam, [organization]: "Example GmbH" },
    },
  });

/** A certificate of another kind. */
export const issueOtherCertificate = (of: Issued): Issued =>
  issue({ issuer: of, subject: { [commonName]: "Apple Development: Ana", [unit]: exampleTeam } });

/** A certificate of a server on this machine. */
export const issueServerCertificate = (of: Issued): Issued =>
  issue({ issuer: of, subject: { [commonName]: "push service" }, address: "127.0.0.1" });

/** What a test sends to set up passes. The keys are made once. */
export const walletSetUp = () => {
  made ??= (() => {
    const authority = makeAuthority();
    return { authority, issued: issuePassCertificate(authority) };
  })();
  const { authority, issued } = made;
  return {
    ...{ certificate: issued.certificate + issued.key, intermediate_certificate: authority.certificate },
    ...{ pass_type: examplePassType, team: exampleTeam },
  };
};
let made: { authority: Issued; issued: Issued } | undefined;
