#!/usr/bin/env node
/**
 * Mends postgres.js 3.4.9 in node_modules after every install, until a release has the fixes.
 *
 * As published, a connection that is lost while it is reserved, in a transaction or about to send takes the
 * process down (a write to a null socket, outside any promise), or stays in the pool without ever sending
 * again, or runs the rest of one transaction in another: porsager/postgres issues 1066, 1154 and 1208. A server
 * that falls silent is waited for without end, and so are several hosts of which none is there. Statements that
 * are sent without waiting for each other get each other's answers when one of them can't be sent or has to be
 * prepared anew. A reservation on which a statement once had to wait sends, under load, one statement for each
 * answer from then on. The queue of a pool's idle connections grows, and each statement takes longer than the
 * one before.
 *
 * It also adds what the service can't do without: `sets`, the parameters of a statement that is run several
 * times in one message, and `lost`, which tells whether a reservation still has its connection.
 *
 * The tests of src/database/connection.test.ts, src/database/parameters.test.ts, test/reservations.test.ts and
 * test/driver-queue.test.ts fail without this. A new version of the package fails this script on purpose: look
 * whether the fixes are still needed.
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
    file: "src/connection.js",
    why: "a statement that can't be sent fails alone; it shifted the answers of those under way, each to the next one",
    before: "    } catch (error) {\n      sent.length === 0 && write(Sync)\n",
    after:
      "    } catch (error) {\n      if (query !== q)\n        return (sent.remove(q), queryError(q, error), true)\n\n" +
      "      write(Sync)\n",
  },
  {
    file: "src/queue.js",
    why: "a queue that is never empty, as that of a pool's idle connections, forgets what was taken from its front",
    before: "        xs[index - 1] = undefined\n",
    after:
      "        xs[index - 1] = undefined\n        index >= 32 && index * 2 >= xs.length && (xs = xs.slice(index), index = 0)\n",
  },
  {
    file: "src/queue.js",
    why: "a queue: what was taken from its front is not looked at, either",
    before:
      "      const index = xs.indexOf(x)\n      return index === -1\n        ? null\n        : (xs.splice(index, 1), x)\n",
    after:
      "      const at = xs.indexOf(x, index)\n      if (at === -1)\n        return null\n      xs.splice(at, 1)\n" +
      "      index === xs.length && (xs = [], index = 0)\n      return x\n",
  },
  {
    file: "src/connection.js",
    why:
      "the option `sets`: a prepared statement is run once for each set of parameters, in one transaction that ends " +
      'with them (PostgreSQL\'s manual, section "Pipelining" of the message flow)',
    before: "  function prepared(q) {\n    return Buffer.concat([\n",
    after:
      "  function prepared(q) {\n    if (q.options.sets)\n      return Buffer.concat(q.options.sets.flatMap(set => [\n" +
      "        Bind(set, q.statement.types, q.statement.name),\n        ExecuteOnly\n      ]).concat(Sync))\n\n" +
      "    return Buffer.concat([\n",
  },
  {
    file: "src/connection.js",
    why: "sets: a statement is run, and no transaction ends with it",
    before: "    , ExecuteUnnamed = Buffer.concat([b().E().str(b.N).i32(0).end(), Sync])\n",
    after:
      "    , ExecuteOnly = b().E().str(b.N).i32(0).end()\n    , ExecuteUnnamed = Buffer.concat([ExecuteOnly, Sync])\n",
  },
  {
    file: "src/connection.js",
    why: "sets: each has a result of its own",
    before: "  function BindComplete() {\n",
    after:
      "  function BindComplete() {\n    if (query.options.sets) {\n      result.command && (result = new Result())\n" +
      "      results = results || []\n      results.push(result)\n    }\n",
  },
  {
    file: "src/connection.js",
    why:
      "a statement whose plan has become stale fails, and is prepared anew the next time; it was sent once more behind " +
      "those under way, which got each other's answers",
    before: "            ? retry(query, errorResponse)\n",
    after: "            ? (delete statements[query.signature], errored(errorResponse))\n",
  },
  {
    file: "src/connection.js",
    why: "rows that came before a failure are not the next result's",
    before:
      "    query = results = errorResponse = null\n    result = new Result()\n    connectTimer.cancel()\n",
    after:
      "    query = results = errorResponse = null\n    result = new Result()\n    rows = 0\n    connectTimer.cancel()\n",
  },
  {
    file: "src/connection.js",
    why: "over TCP, too, a statement is sent while answers are due, rather than after them (Nagle's algorithm)",
    before: "      keep_alive && socket.setKeepAlive && ",
    after: "      socket.setNoDelay && socket.setNoDelay(true)\n      keep_alive && socket.setKeepAlive && ",
  },
  {
    file: "src/query.js",
    why: "a statement that is no template and fails leaves nothing behind; where it came from was kept for ever",
    before: "      : this.tagged && originStackCache.has(this.strings)\n",
    after: "      : !this.tagged\n      ? ''\n      : originStackCache.has(this.strings)\n",
  },
  {
    file: "src/connection.js",
    why: "a pool ends with a connection that is lost meanwhile; it waited for it without end",
    before: "    closedTime = performance.now()\n",
    after: "    ended && (ended(), ending = ended = null)\n    closedTime = performance.now()\n",
  },
  {
    file: "src/connection.js",
    why: "a connection that is given back is the next user's once it has answered: what it sends could come in between",
    before: "  function terminate() {\n    terminated = true\n",
    after:
      "  function leave() {\n    !query && !sent.length && connection.reserved()\n  }\n\n" +
      "  function terminate() {\n    terminated = true\n",
  },
  {
    file: "src/index.js",
    why: "a connection that nobody waits for ends with the pool",
    before: "    if (queries.length === 0)\n      return move(c, open)\n",
    after: "    if (queries.length === 0)\n      return ending ? c.terminate() : move(c, open)\n",
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
    why:
      "a reservation ends with its connection, or when it is released: what waits is refused, and nothing reaches the " +
      "next user's",
    before:
      "    const sql = Sql(handler)\n    sql.release = () => {\n      c.reserved = null\n      onopen(c)\n    }\n\n" +
      "    return sql\n\n    function handler(q) {\n      c.queue === full\n",
    after:
      "    let gone = null\n    c.onclose = e => {\n      gone = e\n      while (queue.length) queue.shift().reject(e)\n    }\n\n" +
      "    const sql = Sql(handler)\n    sql.lost = () => gone !== null\n    sql.release = () => {\n      if (gone)\n        return\n" +
      "      c.onclose(Errors.connection('CONNECTION_ENDED', options, options))\n      c.onclose = null\n" +
      "      c.reserved = () => {\n        c.reserved = null\n        onopen(c)\n      }\n" +
      "      c.reserved.release = true\n      c.leave()\n    }\n\n" +
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
  {
    file: "src/index.js",
    why:
      "a reservation on which something had to wait once must pipeline again: what waited was sent one statement for " +
      "each answer, and so was all that came meanwhile",
    before:
      "    c.reserved = () => queue.length\n      ? c.execute(queue.shift())\n      : move(c, reserved)\n" +
      "    c.reserved.release = true\n",
    after:
      "    c.reserved = () => {\n      let ready = true\n" +
      "      while (ready && queue.length) ready = c.execute(queue.shift())\n" +
      "      move(c, ready ? reserved : full)\n    }\n    c.reserved.release = true\n",
  },
  {
    file: "src/index.js",
    why: "a transaction, likewise",
    before:
      "      c.reserved = () => queries.length\n        ? c.execute(queries.shift())\n        : move(c, reserved)\n",
    after:
      "      c.reserved = () => {\n        let ready = true\n" +
      "        while (ready && queries.length) ready = c.execute(queries.shift())\n" +
      "        move(c, ready ? reserved : full)\n      }\n",
  },
  {
    file: "src/index.js",
    why: "how long a connection may owe an answer is an option",
    before: "    connect_timeout : 30,\n",
    after: "    connect_timeout : 30,\n    answer_timeout  : null,\n",
  },
  {
    file: "src/connection.js",
    why: "a server that falls silent is found out: its own timeouts don't help where the network is gone",
    before: "      , connectTimer = timer(connectTimedOut, options.connect_timeout)\n",
    after:
      "      , connectTimer = timer(connectTimedOut, options.connect_timeout)\n" +
      "      , answerTimer = timer(fellSilent, options.answer_timeout)\n",
  },
  {
    file: "src/connection.js",
    why: "a silent server: connections that wait to be used lead there too, and each would be found out by itself",
    before: "  async function secure() {\n",
    after:
      "  function fellSilent() {\n    destroy()\n" +
      "    while (queues.open && queues.open.length) queues.open.shift().destroy()\n  }\n\n" +
      "  function destroy() {\n    socket && socket.destroy()\n  }\n\n" +
      "  async function secure() {\n",
  },
  {
    file: "src/connection.js",
    why: "the means to that, and to giving a connection back",
    before: "    terminate,\n    execute,\n",
    after: "    terminate,\n    destroy,\n    leave,\n    execute,\n",
  },
  {
    file: "src/connection.js",
    why: "a silent server: the time runs from the first statement that waits",
    before: "        : (query = q, query.active = true)\n",
    after: "        : (query = q, query.active = true, answerTimer.start())\n",
  },
  {
    file: "src/connection.js",
    why: "a silent server: whatever it sends starts the time anew",
    before: "  function data(x) {\n    if (incomings) {",
    after: "  function data(x) {\n    query && answerTimer.start()\n    if (incomings) {",
  },
  {
    file: "src/connection.js",
    why: "a silent server: a connection that owes nothing may be silent",
    before: "      return // Consider opening if able and sent.length < 50\n",
    after: "      return // Consider opening if able and sent.length < 50\n\n    answerTimer.cancel()\n",
  },
  {
    file: "src/connection.js",
    why: "a silent server: nor does a connection that is gone",
    before: "    connectTimer.cancel()\n\n    socket.removeAllListeners()",
    after: "    connectTimer.cancel()\n    answerTimer.cancel()\n\n    socket.removeAllListeners()",
  },
  {
    file: "src/connection.js",
    why: "of several hosts each is tried once for a statement; with none there it went round for ever",
    before: "    if (connection.queue === queues.connecting && options.host[retries + 1])\n",
    after: "    if (connection.queue === queues.connecting && options.host[++retries])\n",
  },
  {
    file: "src/connection.js",
    why: "of several hosts: the next statement tries each again",
    before: "      initial = query\n      reconnect()\n",
    after: "      initial = query\n      retries = 0\n      reconnect()\n",
  },
  {
    file: "src/connection.js",
    why: "of several hosts: one that does not answer is no reason not to try the next",
    before: "    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
    after: "    error(Errors.connection('CONNECT_TIMEOUT', options, socket))\n",
  },
  {
    file: "src/index.js",
    why: "with no connection left and none to be had, what waits is refused; it was one at each vain attempt",
    before: "  function onclose(c, e) {\n    move(c, closed)\n",
    after:
      "  function onclose(c, e) {\n    const vain = c.queue === connecting\n    move(c, closed)\n" +
      "    while (vain && queries.length && !open.length && !busy.length && !full.length && !reserved.length)\n" +
      "      queries.shift().reject(e)\n",
  },
  {
    file: "src/index.js",
    why: "what the service looks for: after `npm ci --ignore-scripts`, say, nobody has mended the driver",
    before: "Object.assign(Postgres, {\n  PostgresError,\n",
    after: "Object.assign(Postgres, {\n  mended: true,\n  PostgresError,\n",
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
  if (found !== times)
    throw new Error(`${file} is not the published one: remove node_modules/postgres and install again.`);
  writeFileSync(url, text.replaceAll(before, after));
}
