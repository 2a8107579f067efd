/** The passes of members for wallets of phones: who has which, and what they show. */
import type {
  GooglePassParts,
  PassParts,
  ShownFor,
  ShownPass,
  WalletPasses,
} from "../../contract/wallet-passes.ts";
import { type GoogleKey, signSaveLink } from "../../credentials/google-keys.ts";
import { hashSecret, isSecret, placeOfWallet, type ServiceKeys } from "../../credentials/keys.ts";
import { type PassCertificate, signManifest } from "../../credentials/pass-certificates.ts";
import { findLogo } from "../../database/access/businesses.ts";
import type { Session, Share } from "../../database/connection.ts";
import { findPageOwner, findPassOwner } from "../../database/members/pages.ts";
import { findSignature, type PassSignature, type WalletKind } from "../../database/wallets/issuers.ts";
import {
  findPass,
  forgetPhone,
  listChangedPasses,
  putPass,
  registerPhone,
} from "../../database/wallets/passes.ts";
import { type PageServices, readAddress, readMemberPage } from "./member-page.ts";

/** @param shareOf the connections of a business */
export function walletPasses(
  shareOf: (businessId: number) => Share,
  services: PageServices,
  { unseal, pageToken }: Pick<ServiceKeys, "unseal" | "pageToken">,
): WalletPasses {
  const secretOf = (businessId: number, kind: WalletKind, { sealed }: PassSignature): unknown =>
    JSON.parse(unseal(sealed, placeOfWallet(businessId, kind)));
  const readShown = async (
    tx: Session,
    businessId: number,
    { contact_id, page_generation }: ShownFor,
  ): Promise<ShownPass> => {
    const owner = await findPassOwner(tx, businessId, contact_id);
    if (owner === undefined) throw new Error("the member of a pass is gone");
    const isValid = owner.is_active && owner.generation === page_generation;
    return {
      business: { name: owner.name, color: owner.color },
      page: isValid ? await readMemberPage(tx, businessId, owner, services) : undefined,
    };
  };
  const shownOn = (businessId: number, pass: ShownFor) =>
    shareOf(businessId).begin(
      (tx) => readShown(tx, businessId, pass),
      "ISOLATION LEVEL REPEATABLE READ READ ONLY",
    );
  const applePass = async (
    businessId: number,
    pass: ShownFor,
    { serial, token }: Pick<PassParts, "serial" | "token">,
  ): Promise<PassParts | undefined> => {
    const signature = await findSignature(shareOf(businessId), businessId, "apple");
    const place = placeOfWallet(businessId, "apple");
    if (signature?.is_usable !== true || !services.canUnseal(signature.sealed, place)) return undefined;
    const certificate = secretOf(businessId, "apple", signature) as PassCertificate;
    return {
      ...(await shownOn(businessId, pass)),
      ...{ pass_type: signature.issuer, team: signature.account, serial, token, businessId },
      signer: signature.set_up,
      logo: await findLogo(shareOf(businessId), businessId),
      sign: (manifest) => signManifest(manifest, certificate, new Date(services.clock())),
    };
  };
  /** The pass of the member of a page, which is stored. It needs a wallet that the page offers. */
  const passOf = async (address: string, kind: WalletKind) => {
    const { businessId, secret } = readAddress(address);
    if (secret === "") return undefined;
    const share = shareOf(businessId);
    const owner = await findPageOwner(share, businessId, hashSecret(secret));
    const sealed = owner?.sealed_wallets[kind];
    if (owner?.generation == null || sealed === undefined) return undefined;
    const signature = await findSignature(share, businessId, kind);
    if (signature === undefined || !services.canUnseal(sealed, placeOfWallet(businessId, kind)))
      return undefined;
    const { contact_id, generation: page_generation } = owner;
    // Another address of the page, another set-up and another secret of the service make another pass.
    const own = `${businessId} ${contact_id} ${page_generation} ${signature.set_up_at}`;
    const serial = pageToken(kind === "apple" ? `serial of a pass ${own}` : `${kind} pass ${own}`);
    const token = pageToken(`token of a pass ${own}`);
    const pass = { contact_id, page_generation, serial, hash: kind === "apple" ? hashSecret(token) : null };
    if (!(await putPass(share, businessId, kind, pass))) return "moving";
    return { businessId, pass, serial, token, signature };
  };
  return {
    shownOn,
    async ofPage(address) {
      const found = await passOf(address, "apple");
      return typeof found === "object" ? applePass(found.businessId, found.pass, found) : found;
    },
    async googleOfPage(address): Promise<GooglePassParts | "moving" | undefined> {
      const found = await passOf(address, "google");
      if (typeof found !== "object") return found;
      const { businessId, pass, serial, signature } = found;
      const key = secretOf(businessId, "google", signature) as GoogleKey & { readonly class_id: string };
      const id = `${signature.issuer}.${serial}`;
      return {
        ...(await shownOn(businessId, pass)),
        classId: key.class_id,
        sign: (content) => signSaveLink({ id, ...content }, key, services.clock()),
      };
    },
    ...phoneService(shareOf, applePass),
  };
}

type AskedByPhones = Pick<WalletPasses, "accepts" | "authorize" | "changedSince">;

/** What phones with Apple Wallet ask. */
function phoneService(
  shareOf: (businessId: number) => Share,
  read: (
    businessId: number,
    pass: ShownFor,
    named: Pick<PassParts, "serial" | "token">,
  ) => Promise<PassParts | undefined>,
): AskedByPhones {
  return {
    async accepts(businessId) {
      const found = await findSignature(shareOf(businessId), businessId, "apple");
      return found === undefined ? false : found.is_here || "moving";
    },
    async authorize(named, token) {
      const { businessId, passType, serial } = named;
      const share = shareOf(businessId);
      const pass = await findPass(share, businessId, passType, serial);
      if (!isSecret(token, pass === undefined ? [] : [pass.authentication_hash]) || !pass) return undefined;
      return {
        ...named,
        read: () => read(businessId, pass, { serial, token }),
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
