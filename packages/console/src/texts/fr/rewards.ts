import type * as english from "../en/rewards.ts";
import type { Texts } from "../languages.ts";

/** Texts of the pages about what members can get besides points of sales. Only these pages load them. */
export const occasionTexts: Texts<typeof english.occasionTexts> = {
  title: "Occasions",
  explanation:
    "Les membres reçoivent des points ou un bon d'achat à leur anniversaire, à l'anniversaire de leur adhésion ou quelques jours après leur dernière vente : une fois par an, à partir de six heures du matin. Ce qui est prévu pour l'adhésion ou un palier, ils le reçoivent aussitôt.",
  empty: "Il n'y a pas encore d'occasions, par exemple : 100 points pour un anniversaire.",
};

export const referralTexts: Texts<typeof english.referralTexts> = {
  title: "Parrainages",
  explanation:
    "Qui a parrainé qui. Définissez ce que chacun reçoit par deux occasions, « A été parrainé par un membre » et « A parrainé un membre », et le minimum et les jours dans les règles.",
  empty: "Aucun membre n'en a encore parrainé un autre.",
};

export const voucherTexts: Texts<typeof english.voucherTexts> = {
  title: "Bons d'achat",
  kinds: {
    percent: (percent, of) => `${percent} %${of && ` sur ${of}`}`,
    item: (_, of) => `Un article : ${of}`,
  },
  explanation:
    "Ce que les membres peuvent recevoir et utiliser pour payer. Émettez-en un sur la page du membre, ou laissez les cartes à tampons et les promotions le donner.",
  sample: "Exemple : un café offert",
  first: { campaign_name: "Café offert", coupon_code: "CAFE", kind: "item", categories: ["café"] },
  archive: "Archiver",
  restore: "Remettre en service",
  file: "Bons des membres en CSV",
  codesFile: "Codes en CSV",
  empty: "Il n'y a pas encore de bons d'achat.",
};

export const topupTexts: Texts<typeof english.topupTexts> = {
  title: "Rechargements",
  explanation:
    "Le bonus que les membres reçoivent en rechargeant leur cagnotte. Un bonus terminé est inactif.",
  empty: "Il n'y a pas encore de bonus de rechargement.",
};
