import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/segments.ts";
import type { Texts } from "../languages.ts";

const members = (count: number) => countedText(count, "membre", "membres");

/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
export const segmentTexts: Texts<typeof english.segmentTexts> = {
  title: "Segments",
  explanation:
    "Des filtres enregistrés, avec les membres qui y correspondent maintenant. Pour en ajouter un, filtrez la page « Membres » et enregistrez les filtres.",
  empty: "Il n'y a pas encore de segments. Mettez des filtres sur la page « Membres », et enregistrez-les.",
  found: members,
  start: "Donner",
};

export const bulkGrantTexts: Texts<typeof english.bulkGrantTexts> = {
  title: "Attributions groupées",
  explanation:
    "Des points et des bons d'achat pour de nombreux membres à la fois. Pour en donner, filtrez la page « Membres ». Cela continue quand vous quittez la page.",
  progress: (done, all) => `${wholeText(done)} sur ${members(all)}`,
  empty:
    "Rien n'a encore été donné à plusieurs membres. Choisissez des membres sur la page « Membres », et donnez-leur à tous quelque chose.",
};
