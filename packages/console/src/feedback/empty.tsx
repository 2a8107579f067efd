import { Text } from "@mantine/core";

/** What a list shows that has no items. */
export const Empty = Text.withProps({ c: "dimmed", py: "sm" });

/** What explains something, in smaller type. */
export const Note = Text.withProps({ size: "sm", c: "dimmed" });
