/** The heading of a page, with its buttons. It names the tab, and gets the focus when the page is opened. */
import { Group, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useMaybeBusiness } from "../business.tsx";
import { texts } from "../texts/en.ts";

interface PageTitleProps {
  readonly title: string;
  /** A line below the title. */
  readonly subtitle?: ReactNode;
  /** Buttons. */
  readonly children?: ReactNode;
}

export function PageTitle({ title, subtitle, children }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const business = useMaybeBusiness();
  useEffect(() => {
    document.title = [title, business?.name, texts.product].filter(Boolean).join(" – ");
  }, [title, business?.name]);
  useEffect(() => {
    // A page that has put the focus into a field keeps it there.
    const { activeElement } = document;
    if (activeElement === null || !(activeElement instanceof HTMLInputElement)) heading.current?.focus();
  }, []);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <div className="page-title">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          <bdi className="wraps">{title}</bdi>
        </Title>
        {subtitle && (
          <Text component="div" c="dimmed" size="sm">
            {subtitle}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
