/**
 * Ends the program if its Node is too old. Programs import this file before all others: an old version can't parse some of
 * their packages, and would report that instead.
 */
const { node } = process.versions;
const [major, minor] = node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Needs Node 20.19 or newer; this is ${node}.\n`);
  process.exit(1);
}
