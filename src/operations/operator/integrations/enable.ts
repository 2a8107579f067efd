import { changesIntegration } from "../../access/integrations.ts";

export const enableIntegration = changesIntegration(
  {
    path: "/op/integrations/enable",
    role: "manager",
    sensitive: true,
    event: "integration.enabled",
    summary: "Enable an integration",
    message: "Integration enabled.",
    description:
      "Lets a disabled integration get tokens again, with its existing secret. Earlier tokens stay rejected.",
  },
  () => ({ enabled: true }),
);
