import type { Server } from "node:http";
import type { Socket } from "node:net";

/** A client that has begun a request but has not finished it after this time is disconnected. */
const withinMilliseconds = 8_000;
const unusedMilliseconds = 100;

/**
 * Watches a server's connections, so that closing it waits for requests in flight and for nothing else.
 * @param server not listening yet
 * @returns runs what closes the server, and cuts the connections that would hold it up
 */
export function createDrain(server: Server): (close: () => Promise<void>) => Promise<void> {
  const connections = new Set<Socket>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return async (close) => {
    const overdue = setTimeout(() => server.closeAllConnections(), withinMilliseconds);
    const closed = close();
    const cutUnused = () => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    };
    // Node takes a connection that has sent nothing yet for one with a request under way, and would wait. Some may still
    // be let in before it closes.
    cutUnused();
    const unused = setInterval(cutUnused, unusedMilliseconds);
    await closed.finally(() => {
      clearTimeout(overdue);
      clearInterval(unused);
    });
  };
}
