import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { setUpAppleWallet } from "../../operations/operator/apple-wallet/set-up.ts";
import { setLogo } from "../../operations/operator/businesses/logo.ts";
import { type FieldSchema, fieldOptions } from "./field-options.ts";

const folder = mkdtempSync(join(tmpdir(), "loyalty-options-"));
afterAll(() => rmSync(folder, { recursive: true }));

const optionOf = (operation: { input: object }, field: string) => {
  const { properties } = operation.input as { properties: Record<string, FieldSchema> };
  return fieldOptions(field, properties[field] as FieldSchema, "required")[0];
};
const inFile = (name: string, content: Buffer | string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe("the option of a field that comes from a file", () => {
  const certificate = optionOf(setUpAppleWallet, "certificate");
  const read = (path: string) => certificate.parseArg?.(path, undefined);

  it("takes text as it is, and other bytes in Base64", () => {
    const pem = "-----BEGIN CERTIFICATE-----\r\nMIIB\r\n";
    expect(read(inFile("a.pem", pem))).toBe(pem);
    expect(read(inFile("é.txt", "é"))).toBe("é");
    const bytes = [Buffer.from([0x30, 0x82, 0, 1]), Buffer.from([0xff, 0xfe, 0x41])];
    for (const one of bytes) expect(read(inFile("a.p12", one))).toBe(one.toString("base64"));
  });

  it("says that it is a file, and why one can't be read", () => {
    expect(certificate.flags).toBe("--certificate <file>");
    expect(certificate.description).not.toContain("Base64");
    expect(() => read(join(folder, "absent.pem"))).toThrow("The file can't be read (ENOENT).");
    expect(() => read(folder)).toThrow("The file can't be read (EISDIR).");
  });

  it("can be none, if the field can", () => {
    const logo = optionOf(setLogo, "logo");
    expect(logo.flags).toBe("--logo <file>");
    expect(logo.description).toContain('"none" for none');
    expect(String(logo.parseArg?.("none", undefined))).toBe("Symbol(none)");
  });
});
