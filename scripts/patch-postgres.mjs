#!/usr/bin/env node
/**
 * Mends postgres.js 3.4.9 in node_modules after every install, until a release has the fixes.
 *
 * As published, a connection that is lost while it is reserved, in a transaction or about to send takes the
 * process down (a write to a null socket, outside any promise), or stays in the pool without ever sending
 * again, or runs the rest of one transaction in another: porsager/postgres issues 1066, 1154 and 1208. The
 * tests of lost connections fail without this. A new version of the package fails this script on purpose:
 * look whether the fixes are still needed.
 */
import { readFileSync, writeFileSync } from "node:fs";

const mendedVersion = "3.4.9";
const folder = new URL("../node_modules/postgres/", import.meta.url);

/** What is replaced in which file; each text occurs exactly as often as `times` says, once by default. */
const fixes = [
  {
    file: "src/connection.js",
    why: "a write that waits when the connection ends must neither block the next writes nor be sent by them",
    before: "\n    clearImmediate(nextWriteTimer)\n",
    after: "\n    clearImmediate(nextWriteTimer)\n    nextWriteTimer = chunk = null\n",
    times: 2,
  },
  {
    file: "src/connection.js",
    why: "all that was sent is refused, and half a result must not become part of the next connection's first",
    before:
      "    if (initial)\n      return reconnect()\n\n" +
      "    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
    after:
      "    const lost = Errors.connection('CONNECTION_CLOSED', options, socket)\n" +
      "    initial\n      ? query && queryError(query, lost)\n      : (query || sent.length) && error(lost)\n" +
      "    query = errorResponse = results = null\n    result = new Result()\n    rows = 0\n\n" +
      "    if (initial)\n      return reconnect()\n\n",
  },
  {
    file: "src/connection.js",
    why: "a statement for a lost connection is refused; it was a write to null, outside any promise",
    before: "    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
    after:
      "    if (!socket)\n      return (queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true)\n\n" +
      "    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
  },
  {
    file: "src/connection.js",
    why: "a connection lost while it learns the types was a rejection that nobody could handle",
    before: "return fetchArrayTypes()",
    after: "return fetchArrayTypes().catch(() => socket && socket.destroy())",
  },
  {
    file: "src/index.js",
    why: "a reservation refused must not stay in the queue, where it would swallow a connection",
    before: "const query = { reserve: resolve, reject }",
    after: "const query = { reserve: resolve, reject: e => (queries.remove(query), reject(e)) }",
  },
  {
    file: "src/index.js",
    why: "a reservation is taken from the queue by a connection that is open, not by one that only tries",
    before: "    queries.length && connect(c, queries.shift())\n  }\n}\n",
    after:
      "    if (queries.length) {\n      const query = queries.shift()\n      query.reserve && queries.push(query)\n" +
      "      connect(c, query)\n    }\n  }\n}\n",
  },
  {
    file: "src/index.js",
    why: "a reservation ends with its connection: what waits is refused, and nothing reaches the next user's",
    before:
      "    const sql = Sql(handler)\n    sql.release = () => {\n      c.reserved = null\n      onopen(c)\n    }\n\n" +
      "    return sql\n\n    function handler(q) {\n      c.queue === full\n",
    after:
      "    let gone = null\n    c.onclose = e => {\n      gone = e\n      while (queue.length) queue.shift().reject(e)\n    }\n\n" +
      "    const sql = Sql(handler)\n    sql.release = () => {\n      if (gone)\n        return\n      c.onclose = c.reserved = null\n      onopen(c)\n    }\n\n" +
      "    return sql\n\n    function handler(q) {\n      if (gone)\n        return q.reject(gone)\n      c.queue === full\n",
  },
  {
    file: "src/index.js",
    why: "a transaction ends with its connection, likewise",
    before: "new Promise((_, reject) => connection.onclose = reject)",
    after:
      "new Promise((_, reject) => connection.onclose = e => {\n          gone = e\n" +
      "          while (queries.length) queries.shift().reject(e)\n          reject(e)\n        })",
  },
  {
    file: "src/index.js",
    why: "a transaction ends with its connection, likewise",
    before: "      , connection\n      , prepare = null\n",
    after: "      , connection\n      , gone = null\n      , prepare = null\n",
  },
  {
    file: "src/index.js",
    why: "a transaction ends with its connection, likewise",
    before: "        q.catch(e => uncaughtError || (uncaughtError = e))\n",
    after:
      "        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (gone)\n          return q.reject(gone)\n",
  },
];

const { version } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
if (version !== mendedVersion) {
  throw new Error(`scripts/patch-postgres.mjs knows postgres ${mendedVersion}, not ${version}.`);
}
for (const { file, before, after, times = 1 } of fixes) {
  const url = new URL(file, folder);
  const text = readFileSync(url, "utf8");
  const mended = text.split(after).length - 1;
  if (mended === times) continue;
  const found = text.split(before).length - 1;
  if (found !== times) throw new Error(`${file} is not the published one: reinstall postgres.`);
  writeFileSync(url, text.replaceAll(before, after));
}
