/** Reads what a widget shows from the shop, and reads it again after a change. */
import { useCallback, useEffect, useState } from "react";

interface Loaded<Data> {
  /** undefined until it is loaded. */
  readonly data: Data | undefined;
  readonly failed: boolean;
  /** Sends a POST, which returns the same as it reads. */
  send(): Promise<void>;
}

export function useLoaded<Data>(path: string): Loaded<Data> {
  const [data, setData] = useState<Data>();
  const [failed, setFailed] = useState(false);
  const request = useCallback(
    async (method: "GET" | "POST") => {
      try {
        const response = await fetch(path, { method, credentials: "include" });
        if (!response.ok) throw new Error(`${response.status}`);
        setData((await response.json()) as Data);
        setFailed(false);
      } catch {
        setFailed(true);
      }
    },
    [path],
  );
  useEffect(() => {
    void request("GET");
  }, [request]);
  return { data, failed, send: () => request("POST") };
}

/** An amount in minor units, as text in the language of the browser. */
export const money = (amount: number, currency: string, decimals: number): string =>
  new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount / 10 ** decimals);
