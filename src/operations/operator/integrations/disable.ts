import { newTokenGeneration } from "../../../database/access/integrations.ts";
import { changesIntegration } from "../../integrations.ts";

export const disableIntegration = changesIntegration(
  {
    path: "/op/integrations/disable",
    event: "integration.disabled",
    summary: "Disable an integration",
    description:
      "Rejects every operation of the integration and gives it no new tokens, within five seconds. Tokens issued before are rejected " +
      "for good, even when it is enabled again.",
    message: "Integration disabled.",
  },
  () => ({ enabled: false, token_generation: newTokenGeneration() }),
);
