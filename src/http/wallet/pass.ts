/** Makes the file of a pass for Apple Wallet: what the page of a member shows, as the phone's own fields. */
import { createHash } from "node:crypto";
import { zipSync } from "fflate";
import { LRUCache } from "lru-cache";
import type { MemberPage } from "../../contract/member-page.ts";
import type { PassParts } from "../../contract/wallet-passes.ts";
import { accentOf } from "../member-page-style.ts";
import { pageLanguages, textsIn } from "../member-page-texts.ts";
import { picture } from "./picture.ts";

const sizes = { "": 1, "@2x": 2, "@3x": 3 };

export interface MadePass {
  readonly content: string;
  readonly signer: string;
  readonly logo: Buffer | undefined;
  readonly file: Buffer;
  /** When it was made first, in whole seconds since the epoch. */
  readonly madeAt: number;
}

/** The passes that were made last, by serial number. One that shows the same is not signed again, which takes most of the time. */
const made = new LRUCache<string, MadePass>({
  max: 500,
  maxSize: 20_000_000,
  sizeCalculation: ({ file, logo }) => file.length + (logo?.length ?? 0) + 1000,
});

/** @param webServiceURL where phones ask for the latest pass */
export async function makePass(parts: PassParts, webServiceURL: string): Promise<MadePass> {
  const { accent, onAccent } = accentOf(parts.business.color);
  const bytes = Number.parseInt(accent.slice(1), 16);
  const rgb = [bytes >> 16, (bytes >> 8) & 255, bytes & 255] as const;
  const text = onAccent === "#000" ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
  const { name } = parts.business;
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: parts.pass_type,
    teamIdentifier: parts.team,
    serialNumber: parts.serial,
    authenticationToken: parts.token,
    webServiceURL,
    organizationName: name,
    description: name,
    logoText: name,
    backgroundColor: `rgb(${rgb.join(", ")})`,
    foregroundColor: text,
    labelColor: text,
    sharingProhibited: true,
    ...(parts.page === undefined ? { voided: true, storeCard: {} } : contentsOf(parts.page)),
  };
  const content = JSON.stringify(pass);
  const known = made.get(parts.serial);
  const { signer, logo } = parts;
  if (known?.content === content && known.signer === signer && isSame(known.logo, logo)) return known;
  const file = await packed(content, rgb, parts);
  // Another content has another time, also in the same second.
  const madeAt = Math.max(Math.floor(Date.now() / 1000), (known?.madeAt ?? 0) + 1);
  const latest = { content, signer, logo, file, madeAt };
  made.set(parts.serial, latest);
  return latest;
}

const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other);

async function packed(
  content: string,
  rgb: Parameters<typeof picture>[1],
  { logo, sign }: Pick<PassParts, "logo" | "sign">,
) {
  const files: Record<string, Uint8Array> = { "pass.json": Buffer.from(content) };
  // Phones draw a picture of any size as large as it has to be.
  if (logo) Object.assign(files, { "icon.png": logo, "logo.png": logo });
  else
    for (const [suffix, scale] of Object.entries(sizes)) {
      files[`icon${suffix}.png`] = picture(29 * scale, rgb);
      files[`logo${suffix}.png`] = picture(50 * scale, rgb);
    }
  for (const language of pageLanguages)
    files[`${language}.lproj/pass.strings`] = Buffer.from(stringsIn(language));
  const digests = Object.entries(files).map(([path, content]) => [
    path,
    createHash("sha1").update(content).digest("hex"),
  ]);
  const manifest = Buffer.from(JSON.stringify(Object.fromEntries(digests)));
  const signature = await sign(manifest);
  return Buffer.from(zipSync({ ...files, "manifest.json": manifest, signature }, { level: 0 }));
}

/** The words of a pass, by which the phone finds them in its language. */
const words = ["points", "worth", "wallet", "tier", "expiring", "lastDay", "vouchers", "stamps"] as const;
type Word = (typeof words)[number];

const labelOf = (word: Word) => textsIn("en").pass[word];

/** The file with the words in a language. A message tells on the lock screen that a field has changed. */
function stringsIn(language: (typeof pageLanguages)[number]): string {
  const quoted = (text: string) => JSON.stringify(text);
  return words
    .flatMap((word) => {
      const [label, own] = [labelOf(word), textsIn(language).pass[word]];
      return [
        [label, own],
        [`${label}: %@`, `${own}: %@`],
      ];
    })
    .map(([key = "", own = ""]) => `${quoted(key)} = ${quoted(own)};\n`)
    .join("");
}

interface Field {
  readonly key: string;
  readonly label: string;
  readonly value: string | number;
  readonly currencyCode?: string;
  readonly dateStyle?: string;
  readonly changeMessage?: string;
  readonly ignoresTimeZone?: boolean;
}

function contentsOf({ business, card, balances, progress, vouchers, stamp_cards }: MemberPage) {
  const { points, points_amount, points_expiring, rp_name, wallet } = balances;
  const told = (label: string) => ({ label, changeMessage: `${label.replaceAll("%", "")}: %@` });
  const money = (key: Word, amount: number): Field => ({
    ...{ key, ...told(labelOf(key)) },
    ...{ value: amount / 10 ** business.currency_decimals, currencyCode: business.currency },
  });
  const next = points_expiring.find(({ valid_through }) => valid_through !== null);
  const lines = (key: Word, texts: readonly string[]): Field[] =>
    texts.length === 0 ? [] : [{ key, label: labelOf(key), value: texts.join("\n") }];
  const code = card && { message: card.code.replaceAll(" ", ""), altText: card.code };
  const barcode = { ...code, format: "PKBarcodeFormatQR", messageEncoding: "iso-8859-1" };
  return {
    ...(code && { barcodes: [barcode], barcode }),
    storeCard: {
      primaryFields: [{ key: "points", ...told(rp_name || labelOf("points")), value: points }],
      secondaryFields: [
        ...(points_amount > 0 ? [money("worth", points_amount)] : []),
        money("wallet", wallet),
        ...(progress.tier ? [{ key: "tier", ...told(labelOf("tier")), value: progress.tier.name }] : []),
      ],
      auxiliaryFields: next?.valid_through
        ? [
            { key: "expiring", label: labelOf("expiring"), value: next.points },
            {
              ...{ key: "lastDay", label: labelOf("lastDay"), value: `${next.valid_through}T12:00:00Z` },
              ...{ dateStyle: "PKDateStyleMedium", ignoresTimeZone: true },
            },
          ]
        : [],
      backFields: [
        ...lines(
          "vouchers",
          vouchers.map((one) => `${one.campaign_name}: ${one.coupon_code}`),
        ),
        ...lines(
          "stamps",
          stamp_cards.map((one) => `${one.name}: ${one.stamps} / ${one.stamps_needed}`),
        ),
      ],
    } satisfies Record<string, readonly Field[]>,
  };
}
