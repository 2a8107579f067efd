/** Some bars, drawn as an image that scales. A library for charts would be larger than this page. */

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

const height = 160;
const step = 60;

export function BarChart({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  // Labels of every second bar, if there are many, so that they can be read on a phone.
  const labelled = Math.ceil(bars.length / 6);
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${bars.length * step} ${height + 24}`}
      role="img"
      aria-label={`${label}: ${bars.map((bar) => `${bar.label} ${bar.text}`).join(", ")}`}
    >
      <line x1={0} y1={height} x2={bars.length * step} y2={height} className="axis" />
      {bars.map((bar, index) => {
        const size = Math.max(bar.value > 0 ? 2 : 0, (bar.value / largest) * (height - 20));
        return (
          <g key={bar.label}>
            <rect x={index * step + 8} y={height - size} width={step - 16} height={size} rx={2}>
              <title>{`${bar.label}: ${bar.text}`}</title>
            </rect>
            {(bars.length - 1 - index) % labelled === 0 && (
              <text x={index * step + step / 2} y={height + 18} textAnchor="middle">
                {bar.label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
