/** The consoles of other cells. They have other businesses, and sessions of their own. */
import { useAll } from "../api/queries.ts";

export function useOtherConsoles() {
  const consoles = useAll("/op/consoles/list", {}).data?.data ?? [];
  return consoles.filter(({ url }) => !window.location.href.startsWith(url));
}
