/** Seconds on two cores to start, and to play a second of sound; measured. */
const measured = { start: 1.5, played: 0.05 }

/**
 * Seconds of work for a second of sound, on two cores. Basic Pitch: measured. The form of Kong et al.: reckoned; a
 * window of ten seconds takes some 200 billion multiplications, and one begins every five.
 */
export const transcriptionPaces = { basicPitch: 0.02, highResolution: 1 } as const

/** Seconds of work to expect for finding the notes of a recording; by Basic Pitch, where no other pace is given. */
export function transcriptionSeconds(lastsMs: number, pace: number = transcriptionPaces.basicPitch): number {
  return tenths(measured.start + (pace * lastsMs) / 1000)
}

/** Seconds of work to expect for playing them. */
export function renderingSeconds(lastsMs: number): number {
  return tenths(measured.start + (measured.played * lastsMs) / 1000)
}

/** Milliseconds after which work of so many seconds hangs: a machine may be busy, and much slower than the one measured. */
export function workTimeoutMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

function tenths(seconds: number): number {
  return Math.round(10 * seconds) / 10
}
