/** The cookie with the session of the console. */
import { sessionDays } from "../../domain/operators.ts";

/** Browsers accept the prefix only with `Secure` and from the host itself, so no other host can set the cookie. */
export const usual = { name: "__Host-loyalty_console", secure: "; Secure" };
/** Without TLS on this machine, for trials. Browsers reject a secure cookie there. */
const onLoopback = { name: "loyalty_console", secure: "" };

/** @param token null ends the session @param isLoopback whether the browser uses HTTP on this machine */
export function sessionCookie(token: string | null, isLoopback: boolean): string {
  const { name, secure } = isLoopback ? onLoopback : usual;
  const age = token === null ? 0 : sessionDays * 24 * 60 * 60;
  return `${name}=${token ?? ""}; HttpOnly${secure}; SameSite=Strict; Path=/; Max-Age=${age}`;
}

/** @returns the session in a Cookie header; undefined if there is none, or there are several */
export function sessionInCookies(header: string | undefined, isLoopback: boolean): string | undefined {
  const { name } = isLoopback ? onLoopback : usual;
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}

interface Site {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether a page of the service itself sent the request. A cookie of another request does not count, because the browser adds the
 * cookie by itself.
 * @param own the origin of the service, as the browser sees it
 */
export function isSameOrigin({ secFetchSite, origin }: Site, own: string | undefined): boolean {
  if (secFetchSite !== undefined) return secFetchSite === "same-origin";
  return origin !== undefined && origin.toLowerCase() === own;
}
