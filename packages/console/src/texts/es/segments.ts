import { countedText, wholeText } from "../decimals.ts";
import type * as english from "../en/segments.ts";
import type { Texts } from "../languages.ts";

const members = (count: number) => countedText(count, "miembro", "miembros");

/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
export const segmentTexts: Texts<typeof english.segmentTexts> = {
  title: "Segmentos",
  explanation:
    "Filtros guardados, con los miembros que coinciden ahora. Para añadir uno, filtre la página «Miembros» y guarde los filtros.",
  empty: "Todavía no hay segmentos. Ponga filtros en la página «Miembros», y guárdelos.",
  found: members,
  start: "Dar",
};

export const bulkGrantTexts: Texts<typeof english.bulkGrantTexts> = {
  title: "Entregas masivas",
  explanation:
    "Puntos y vales para muchos miembros a la vez. Para darlos, filtre la página «Miembros». Continúa aunque salga de la página.",
  progress: (done, all) => `${wholeText(done)} de ${members(all)}`,
  empty:
    "Todavía no se ha dado nada a muchos miembros. Elija miembros en la página «Miembros», y deles algo a todos.",
};
