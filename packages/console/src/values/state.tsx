/** A state as a word with a colour. */
import { Badge } from "@mantine/core";
import { choiceText } from "../texts/labels.ts";

const colours = {
  teal: ["active", "enabled", "available", "held", "delivered", "checked"],
  blue: ["pending", "invited", "waiting", "uploading", "uploaded", "checking", "importing"],
  orange: ["paused"],
  red: ["failing", "failed"],
};

export function State({ value }: { readonly value: string }) {
  const [colour = "gray"] = Object.entries(colours).find(([, values]) => values.includes(value)) ?? [];
  return (
    <Badge miw="max-content" color={colour}>
      {choiceText(value)}
    </Badge>
  );
}
