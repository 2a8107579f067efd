/** Signs messages by the Standard Webhooks specification. */
import { createHmac } from "node:crypto";
import { signedText } from "../domain/webhooks/message.ts";

/**
 * The header webhook-signature.
 * @param secrets as partners know them: whsec_ and base64. Several are valid during a rotation.
 * @param timestamp of the attempt, in seconds
 */
export function signaturesOf(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const text = signedText(message.id, message.timestamp, message.body);
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
      return `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
    })
    .join(" ");
}
