import { varispeed } from '../../src/media/timeline/varispeed.ts'

/** Filters that play 48 kHz sound at another speed, a second of silence behind it; empty at speed 1. */
export function retimeFilters(
  speed: number,
  { keepPitch, rubberband }: { keepPitch: boolean; rubberband: boolean },
): string[] {
  if (speed === 1) return []
  if (!keepPitch) {
    const { from, to } = varispeed(speed)
    return [`aresample=${from}`, `asetrate=${to}`, 'aresample=48000']
  }
  // Both hold back the last of what they were given until more comes.
  return ['apad=pad_dur=1', ...(rubberband ? [`rubberband=tempo=${speed}`] : tempoFilters(speed))]
}

/** Equal steps from half to double: an atempo filter cannot be slower, and faster than that it skips samples. */
function tempoFilters(speed: number): string[] {
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed))))
  return Array.from({ length: steps }, () => `atempo=${(speed ** (1 / steps)).toFixed(9)}`)
}
