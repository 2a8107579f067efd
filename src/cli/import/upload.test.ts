import { expect, it } from "vitest";
import type { OperatorClient } from "../service/client.ts";
import { uploadFile } from "./upload.ts";

it("sends nothing when it was interrupted before", async () => {
  const sent: string[] = [];
  const client = { call: async (path: string) => void sent.push(path) } as unknown as OperatorClient;
  const signal = AbortSignal.abort();
  const uploading = uploadFile({
    client,
    business_id: 1,
    file: "package.json",
    signal,
    sent: () => undefined,
  });
  await expect(uploading).rejects.toThrow("aborted");
  expect(sent).toEqual([]);
});
