/** Measured on two cores: starting, hearing a second of sound, and playing one. */
const measured = { start: 1.5, heard: 0.03, played: 0.15 }

/** Seconds of work to expect for finding the notes of a recording. */
export function hearingSeconds(lastsMs: number): number {
  return tenths(measured.start + (measured.heard * lastsMs) / 1000)
}

/** Seconds of work to expect for playing them. */
export function playingSeconds(lastsMs: number): number {
  return tenths(measured.start + (measured.played * lastsMs) / 1000)
}

function tenths(seconds: number): number {
  return Math.round(10 * seconds) / 10
}
