import { varispeed } from '../../src/media/timeline/varispeed.ts'

/**
 * Returns filters that change the speed of 48 kHz sound. Empty at speed 1. Pads with silence if the pitch is
 * kept.
 */
export function retimeFilters(
  speed: number,
  { keepPitch, rubberband }: { keepPitch: boolean; rubberband: boolean },
): string[] {
  if (speed === 1) return []
  if (!keepPitch) {
    const { from, to } = varispeed(speed)
    return [`aresample=${from}`, `asetrate=${to}`, 'aresample=48000']
  }
  // Both filters delay their last samples until more input arrives.
  return ['apad=pad_dur=1', ...(rubberband ? [`rubberband=tempo=${speed}`] : tempoFilters(speed))]
}

/** Returns equal atempo steps from 0.5 to 2: the filter's minimum is 0.5, and above 2 it skips samples. */
function tempoFilters(speed: number): string[] {
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed))))
  return Array.from({ length: steps }, () => `atempo=${(speed ** (1 / steps)).toFixed(9)}`)
}
