import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What a list shows that has no items. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return (
    <Text c="dimmed" py="sm">
      {children}
    </Text>
  );
}
