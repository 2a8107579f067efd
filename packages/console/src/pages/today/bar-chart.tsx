/** Some bars, as elements of the page: their labels keep their size on a phone, and their colours follow the page. */

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

/** As many labels can be read side by side on a phone. */
const mostLabels = 6;

export function BarChart({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  const every = Math.ceil(bars.length / mostLabels);
  return (
    <div
      className="chart"
      role="img"
      aria-label={`${label}: ${bars.map((bar) => `${bar.label} ${bar.text}`).join(", ")}`}
    >
      {bars.map((bar, index) => (
        <div key={bar.label} title={`${bar.label}: ${bar.text}`}>
          <div style={{ height: `${(bar.value / largest) * 100}%` }} />
          {(bars.length - 1 - index) % every === 0 && <span>{bar.label}</span>}
        </div>
      ))}
    </div>
  );
}
