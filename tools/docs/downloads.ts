/** The client as a package that partners can download. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packageRoot } from "../../src/package.ts";

/** The client as `npm pack` packs it. */
export function packedClient(): Buffer {
  const folder = join(packageRoot, "packages/sdk");
  const compiled = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
    .map((path) => `dist/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.js$|\.d\.ts$|\/package\.json$/.test(path));
  const paths = ["LICENSE", "README.md", "package.json", "bin/loyalty-sdk.js", ...compiled].sort();
  return packed(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

const blockSize = 512;
/** npm gives every file this time: some archivers take an earlier one for a mistake. */
const modifiedAt = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/**
 * Packs files as npm packs a package: a gzipped tar archive. The same files make the same bytes, whenever they are packed.
 * @param files paths below the package's folder, in ASCII and at most 90 characters long, and what they hold
 */
function packed(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const blocks = files.flatMap(([path, content]) => [
    headerOf(`package/${path}`, content.length),
    content,
    Buffer.alloc(-content.length & (blockSize - 1)),
  ]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 });
}

/** A header of the format ustar: texts and octal numbers at fixed places. */
function headerOf(path: string, size: number): Buffer {
  if (!/^[\x20-\x7e]{1,99}$/.test(path)) throw new Error(`${path} does not fit into an archive's header.`);
  const header = Buffer.alloc(blockSize);
  const octal = (number: number, digits: number) => `${number.toString(8).padStart(digits, "0")}\0`;
  header.write(path, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(modifiedAt, 11), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
