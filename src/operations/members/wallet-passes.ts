/** The passes of members for Apple Wallet: who has which, and what they show. */
import type { NamedPass, PassParts, WalletPasses } from "../../contract/wallet-passes.ts";
import { hashSecret, isSecret, placeOfWallet, type ServiceKeys } from "../../credentials/keys.ts";
import { type PassCertificate, signManifest } from "../../credentials/pass-certificates.ts";
import type { Session, Share } from "../../database/connection.ts";
import { findPageOwner, findPassOwner } from "../../database/members/pages.ts";
import {
  findPass,
  findSignature,
  forgetPhone,
  listChangedPasses,
  putPass,
  registerPhone,
  type StoredPass,
} from "../../database/wallet-passes.ts";
import { type PageServices, readAddress, readMemberPage } from "./member-page.ts";

/** @param shareOf the connections of a business */
export function walletPasses(
  shareOf: (businessId: number) => Share,
  services: PageServices,
  { unseal, pageToken }: Pick<ServiceKeys, "unseal" | "pageToken">,
): WalletPasses {
  const readParts = async (
    tx: Session,
    { businessId, serial }: Pick<NamedPass, "businessId" | "serial">,
    { contact_id, page_generation }: Pick<StoredPass, "contact_id" | "page_generation">,
    token: string,
  ): Promise<PassParts | undefined> => {
    const owner = await findPassOwner(tx, businessId, contact_id);
    const signature = await findSignature(tx, businessId);
    const place = placeOfWallet(businessId);
    if (!owner?.sealed_wallet || !signature || !services.canUnseal(signature.sealed, place)) return undefined;
    const { pass_type, team, sealed } = signature;
    const certificate = JSON.parse(unseal(sealed, place)) as PassCertificate;
    return {
      ...{ pass_type, team, serial, token, businessId },
      business: { name: owner.name, color: owner.color },
      page:
        owner.is_active && owner.generation === page_generation
          ? await readMemberPage(tx, businessId, owner, services)
          : undefined,
      sign: (manifest) => signManifest(manifest, certificate, new Date(services.clock())),
    };
  };
  const inSnapshot = <Value>(businessId: number, read: (tx: Session) => Promise<Value>) =>
    shareOf(businessId).begin(read, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
  return {
    async ofPage(address) {
      const { businessId, secret } = readAddress(address);
      if (secret === "") return undefined;
      const owner = await findPageOwner(shareOf(businessId), businessId, hashSecret(secret));
      const wallet = await findSignature(shareOf(businessId), businessId);
      if (owner?.sealed_wallet == null || wallet === undefined) return undefined;
      const { contact_id, generation: page_generation } = owner;
      if (page_generation === null) return undefined;
      // Another address of the page, another set-up and another secret of the service make another pass.
      const own = `${businessId} ${contact_id} ${page_generation} ${wallet.set_up_at}`;
      const [serial, token] = [pageToken(`serial of a pass ${own}`), pageToken(`token of a pass ${own}`)];
      const parts = await inSnapshot(businessId, (tx) =>
        readParts(tx, { businessId, serial }, { contact_id, page_generation }, token),
      );
      const pass = { serial, contact_id, page_generation, hash: hashSecret(token) };
      if (parts !== undefined) await putPass(shareOf(businessId), businessId, pass);
      return parts;
    },
    async accepts(businessId) {
      const found = await findSignature(shareOf(businessId), businessId);
      return found === undefined ? false : found.is_here || "moving";
    },
    async authorize(named, token) {
      const { businessId, passType, serial } = named;
      const share = shareOf(businessId);
      const pass = await findPass(share, businessId, passType, serial);
      if (!isSecret(token, pass === undefined ? [] : [pass.authentication_hash]) || !pass) return undefined;
      return {
        ...named,
        changed: pass.events_enabled ? pass.changed : pass.asked,
        asked: pass.asked,
        read: () => inSnapshot(businessId, (tx) => readParts(tx, named, pass, token)),
        register: (device, pushToken) =>
          share.begin((tx) => registerPhone(tx, businessId, serial, hashSecret(device), pushToken)),
        unregister: (device) => forgetPhone(share, businessId, serial, hashSecret(device)),
      };
    },
    async changedSince({ businessId, passType }, device, since) {
      const found = await listChangedPasses(shareOf(businessId), businessId, {
        ...{ passType, device: hashSecret(device), since: since ?? null },
      });
      return { serials: found.map(({ serial_number }) => serial_number), tag: found.at(-1)?.tag ?? "" };
    },
  };
}
