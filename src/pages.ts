/** What the service serves besides operations: pages, and what phones with passes ask for. */
import type { Logger } from "pino";
import type { WalletPasses } from "./contract/wallet-passes.ts";
import type { Database } from "./database/connection.ts";
import { isTransient } from "./database/faults.ts";
import { OverloadedError } from "./domain/fair-queue.ts";
import { readConsole } from "./http/console.ts";
import { readDocuments } from "./http/docs.ts";
import { errorPagesAt, memberPagesAt } from "./http/member-page.ts";
import type { FindPage, ServerParts } from "./http/server.ts";
import { walletServiceAt } from "./http/wallet/web-service.ts";
import { logosOf, memberPages } from "./operations/members/member-page.ts";
import type { PipelineParts } from "./pipeline/parts.ts";

/** The connections with which pages of a business are read. */
export const sharesOfPages = (sql: Database) => (id: number) => sql.shareOf(`page ${id}`);

export function pagesAt(
  basePath: string,
  sql: Database,
  services: PipelineParts["services"],
  passes: WalletPasses,
  log: Pick<Logger, "warn">,
): Pick<ServerParts, "findPage" | "errorPage"> {
  const [console, documents] = [readConsole(basePath), readDocuments(basePath)];
  const shareOf = sharesOfPages(sql);
  let warned = false;
  const warnOfHttp = () => {
    if (!warned)
      log.warn(
        "pages offer no passes for Apple Wallet, because phones need https: see LOYALTY_TRUSTED_PROXIES",
      );
    warned = true;
  };
  const ofMembers = orLater(
    memberPagesAt(
      basePath,
      { page: memberPages(shareOf, services), logo: logosOf(shareOf) },
      passes,
      warnOfHttp,
    ),
  );
  const ofWallets = orLater(walletServiceAt(basePath, passes));
  const findToRead: FindPage = (...asked) => ofMembers(...asked) ?? console(...asked) ?? documents(...asked);
  const findPage: FindPage = (...asked) => {
    const isRead = ["GET", "HEAD"].includes(asked[2]);
    return ofWallets(...asked) ?? (isRead ? findToRead(...asked) : undefined);
  };
  return { findPage, errorPage: errorPagesAt(basePath) };
}

/** While the database is busy, phones try again later. */
const orLater =
  (find: FindPage): FindPage =>
  (...asked) => {
    const page = find(...asked);
    return (
      page &&
      ((...given) =>
        page(...given).catch((error: unknown) => {
          if (!(error instanceof OverloadedError) && !isTransient(error)) throw error;
          return { status: 503, headers: { "retry-after": "10" }, body: "" };
        }))
    );
  };
