/** A choice of a few values, which are all shown. */
import { SegmentedControl, type SegmentedControlProps } from "@mantine/core";

type SegmentsProps<Value extends string> = Omit<SegmentedControlProps<Value>, "data"> &
  Readonly<{ label: string; names: Readonly<Record<Value, string>> }>;

export function Segments<Value extends string>({ label, names, ...control }: SegmentsProps<Value>) {
  const data = Object.entries<string>(names).map(([value, name]) => ({ value: value as Value, label: name }));
  // What has no space on a phone goes on in the next line.
  const styles = { root: { flexWrap: "wrap" } } as const;
  return <SegmentedControl maw="100%" aria-label={label} {...{ data, styles }} {...control} />;
}
