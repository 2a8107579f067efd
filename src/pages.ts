/** What the service serves besides operations: pages, and what phones with passes ask for. */
import type { Database } from "./database/connection.ts";
import { isTransient } from "./database/faults.ts";
import { OverloadedError } from "./domain/fair-queue.ts";
import { readConsole } from "./http/console.ts";
import { readDocuments } from "./http/docs.ts";
import { memberPagesAt } from "./http/member-page.ts";
import type { FindPage } from "./http/server.ts";
import { walletServiceAt } from "./http/wallet/web-service.ts";
import { memberPages } from "./operations/members/member-page.ts";
import { walletPasses } from "./operations/members/wallet-passes.ts";
import type { PipelineParts } from "./pipeline/parts.ts";

export function pagesAt(
  basePath: string,
  sql: Database,
  { services, keys }: Pick<PipelineParts, "services" | "keys">,
): FindPage {
  const [console, documents] = [readConsole(basePath), readDocuments(basePath)];
  const shareOf = (id: number) => sql.shareOf(`page ${id}`);
  const passes = walletPasses(shareOf, services, keys);
  const ofMembers = orLater(memberPagesAt(basePath, memberPages(shareOf, services), passes));
  const ofWallets = orLater(walletServiceAt(basePath, passes));
  const findToRead: FindPage = (...asked) => ofMembers(...asked) ?? console(...asked) ?? documents(...asked);
  return (...asked) => {
    const isRead = ["GET", "HEAD"].includes(asked[2]);
    return ofWallets(...asked) ?? (isRead ? findToRead(...asked) : undefined);
  };
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
