/** Makes what tells the services of wallets about changed passes, from the configuration. */
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { WalletPasses } from "./contract/wallet-passes.ts";
import type { ServiceKeys } from "./credentials/keys.ts";
import type { Database } from "./database/connection.ts";
import { createApplePushes } from "./events/apple-pushes.ts";
import { createGoogleObjects } from "./events/google-objects.ts";
import { type PassUpdateParts, startPassUpdates } from "./events/pass-updates.ts";
import { googleClass, googleObject } from "./http/wallet/google-pass.ts";

interface Parts {
  readonly sql: Database;
  readonly keys: Pick<ServiceKeys, "unseal">;
  readonly passes: WalletPasses;
  readonly metrics: PassUpdateParts["metrics"];
  readonly log: Logger;
}

export function startWallets({ applePushUrl, googleWalletUrl }: Config, { passes, ...parts }: Parts) {
  const google = createGoogleObjects({
    url: googleWalletUrl ?? "https://walletobjects.googleapis.com",
    tokenUrl: googleWalletUrl && `${googleWalletUrl}/token`,
    makeClass: googleClass,
    async makeObject({ business_id, secret }, pass) {
      const { class_id } = secret as { readonly class_id: string };
      return googleObject(await passes.shownOn(business_id, pass), class_id);
    },
  });
  return startPassUpdates({ ...parts, wallets: { apple: createApplePushes(applePushUrl), google } });
}
