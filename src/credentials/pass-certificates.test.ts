import { execFileSync } from "node:child_process";
import forge from "node-forge";
import { describe, expect, it } from "vitest";
import { issuePassCertificate, makeAuthority, walletSetUp } from "../../test/support/pass-certificates.ts";
import { readPassCertificate } from "./pass-certificates.ts";

const password = "secret 1";
const authority = makeAuthority();
const own = issuePassCertificate(authority);
const { certificate: _, ...names } = walletSetUp();

async function read(certificate: string): Promise<string> {
  const given = { ...names, intermediate_certificate: authority.certificate };
  try {
    await readPassCertificate({ ...given, certificate, certificate_password: password }, Date.now());
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

const lockedKey = (...protection: string[]) =>
  own.certificate +
  execFileSync("openssl", ["pkcs8", "-topk8", "-passout", `pass:${password}`, ...protection], {
    ...{ input: own.key, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] },
  });
const { asn1, pki, pkcs12, util } = forge;
const encoded = (tree: forge.asn1.Asn1) => util.encode64(asn1.toDer(tree).getBytes());
function p12(count: number): string {
  const [key, certificate] = [pki.privateKeyFromPem(own.key), pki.certificateFromPem(own.certificate)];
  return encoded(pkcs12.toPkcs12Asn1(key, [certificate], password, { algorithm: "aes128", count }));
}

/** A .p12 file whose key and its number of rounds are inside an encrypted part. */
function hiddenRounds(count: number): string {
  const { Class, Type, create, oidToDer, toDer } = asn1;
  const { UNIVERSAL, CONTEXT_SPECIFIC } = Class;
  const sequence = (...parts: forge.asn1.Asn1[]) => create(UNIVERSAL, Type.SEQUENCE, true, parts);
  const inside = (...parts: forge.asn1.Asn1[]) => create(CONTEXT_SPECIFIC, 0 as never, true, parts);
  const oid = (name: string) =>
    create(UNIVERSAL, Type.OID, false, oidToDer(pki.oids[name] as string).getBytes());
  const octets = (bytes: string) => create(UNIVERSAL, Type.OCTETSTRING, false, bytes);
  const number = (value: number) => create(UNIVERSAL, Type.INTEGER, false, String.fromCharCode(value));
  const encrypted = (what: forge.asn1.Asn1, rounds: number) =>
    pki.encryptPrivateKeyInfo(what as never, password, {
      algorithm: "aes128",
      count: rounds,
    } as never) as never as {
      value: [forge.asn1.Asn1, { value: string }];
    };
  const key = pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(pki.privateKeyFromPem(own.key)));
  const bag = sequence(oid("pkcs8ShroudedKeyBag"), inside(encrypted(key, count) as never));
  const [algorithm, content] = encrypted(sequence(bag), 1000).value;
  const bytes = create(CONTEXT_SPECIFIC, 0 as never, false, content.value);
  const part = sequence(
    oid("encryptedData"),
    inside(sequence(number(0), sequence(oid("data"), algorithm, bytes))),
  );
  const safe = octets(toDer(sequence(part)).getBytes());
  const file = sequence(number(3), sequence(oid("data"), inside(safe)));
  return encoded(file);
}

describe("protection of a key", () => {
  it("is opened with as many rounds as exports have", async () => {
    expect(await read(p12(10_000))).toBe("accepted");
    expect(await read(lockedKey("-iter", "50000"))).toBe("accepted");
    expect(await read(hiddenRounds(2000))).toMatch(/has no certificate/);
  });

  it.each([
    ["too many rounds", () => lockedKey("-iter", "50001")],
    ["scrypt", () => lockedKey("-scrypt", "-scrypt_N", "1024", "-scrypt_r", "1", "-scrypt_p", "1")],
    ["too many rounds of all parts together", () => p12(26_000)],
    ["too many rounds in an encrypted part", () => hiddenRounds(50_000)],
    [
      "headers before the key",
      () => lockedKey().replace("PRIVATE KEY-----\n", "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"),
    ],
  ])("is rejected with %s, before it holds up the process", async (_name, file) => {
    expect(await read(file())).toMatch(/scrypt, or by more than 50,000 rounds/);
  });
});
