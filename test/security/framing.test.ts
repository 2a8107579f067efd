/** Requests with a broken frame: each gets one response at most, so that no response is taken for another's. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { framings } from "../../chaos/fuzz/framings.ts";
import { sendRaw } from "../support/http-connection.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const port = () => Number(new URL(world.baseUrl).port);
const head = "POST /api/sp/member-tiers/list HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

/** Sends the pieces, each once there was a response to the one before, and reads until the service hangs up. */
function statusesOf(pieces: readonly string[]): Promise<number[]> {
  return new Promise((resolve) => {
    const left = [...pieces];
    let text = "";
    const socket = connect(port(), "127.0.0.1", () => socket.write(left.shift() as string));
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const next = left.shift();
      if (next !== undefined) socket.write(next);
    });
    socket.on("error", () => undefined);
    socket.on("close", () =>
      resolve([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))),
    );
  });
}

describe("a request that got a response before its body came", () => {
  it.each(["no chunk\r\n", "-1\r\n", "1\r\nabc\r\n"])(
    "gets no second response when the body is %j",
    async (rest) => {
      expect(await statusesOf([`${head}Transfer-Encoding: chunked\r\n\r\n`, rest])).toEqual([401]);
    },
  );
});

it("a broken request behind a sound one gets a response after it", async () => {
  const sound = `${head}Authorization: Bearer ${await world.token()}\r\nContent-Length: 2\r\n\r\n{}`;
  expect(await statusesOf([`${sound}nonsense\r\n\r\n`])).toEqual([200, 400]);
});

it("a client that has ended its side of the connection gets its responses", async () => {
  const sound = `${head}Authorization: Bearer ${await world.token()}\r\nContent-Length: 2\r\n\r\n{}`;
  const { responses } = await sendRaw(port(), Buffer.from(sound.repeat(3)), 10_000);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
});

it("a request behind a response that ends the connection has no effect", async () => {
  const token = await world.token();
  const path = "/sp/members/create";
  const fields = { idempotency_key: nextKey(), ...newPerson() };
  const body = JSON.stringify(fields);
  const sound =
    `POST /api${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  const noHost = "POST /api/sp/member-tiers/list HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
  expect(await statusesOf([noHost + sound])).toEqual([400]);
  const reply = await world.call(path, fields, { token });
  expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([201, null]);
});

it("no frame gets more responses than it has requests", async () => {
  const authorization = `Bearer ${await world.token()}`;
  const hidden = `${head}Authorization: ${authorization}\r\nContent-Length: 2\r\n\r\n{}`;
  for (let round = 0; round < 20; round++) {
    const all = framings("/api/sp/member-tiers/list", authorization, "{}", hidden);
    const outcomes = await Promise.all(all.map(({ bytes }) => sendRaw(port(), bytes, 60_000)));
    const tooMany = all.filter(
      ({ responses }, index) => (outcomes[index]?.responses.length ?? 0) > responses,
    );
    expect(tooMany.map(({ name }) => name)).toEqual([]);
    expect(outcomes.filter(({ overdue }) => overdue)).toEqual([]);
  }
});
