import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Past this, a client that has begun a request but doesn't finish it is cut off. */
const withinMilliseconds = 8_000;

/**
 * Watches a server's connections, so that closing it waits for the requests in flight and for nothing else.
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
    // Node takes a connection that has sent nothing yet for one with a request under way, and would wait.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    await closed.finally(() => clearTimeout(overdue));
  };
}
