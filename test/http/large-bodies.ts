export const mebibyte = 2 ** 20

/** A body of exactly `bytes` bytes that repeats an item. */
export function repeated(
  start: string,
  item: string,
  { end, bytes }: { end: string; bytes: number },
): string {
  const count = Math.floor((bytes - start.length - end.length) / item.length)
  return (start + item.repeat(count) + end).padEnd(bytes, ' ')
}

/** A region as JSON. */
const region = (index: number, end = 2) =>
  `{"id":"text-${index}","source":"detected","x":0.123,"y":0.25,"w":0.125,"h":0.0625,"start":1.25,"end":${end}}`
/** A list of regions as JSON. */
export const regions = (count: number, end?: number) =>
  `[${Array.from({ length: count }, (_, index) => region(index, end)).join()}]`
/** A request of video_purify as JSON, without its outer fields. */
export const purify = (rest: string) => `{"file_id":"1700000000000000001","phase":"purify",${rest}}`

/** A timeline with a field, tracks, and gaps in each track. */
export function gtrk(field: string, tracks = 1, gaps = 0): string {
  const gap = (index: number) => `{"clip_id":"","track_st":${index},"track_ed":${index + 1},"duration":1}`
  const track = `{"track_index":0,"track_timeline":[${Array.from({ length: gaps }, (_, index) => gap(index)).join()}]}`
  const start = '{"version":"v1","video_size":[640,360],"video_rate":25,"materials":[],"audio_track":[]'
  return `${start},${field},"video_track":[${`${track},`.repeat(tracks - 1)}${track}]}`
}

/** A list of regions with random boxes, and with labels that are drawn. */
export function labelledRegions(count: number): string {
  const share = () => Math.round(Math.random() * 500) / 1000 + 0.001
  const one = (_: unknown, index: number) => ({
    ...{ id: `region-${index}`, source: 'manual', x: share() / 2, y: share() / 2, w: share(), h: share() },
    ...{ start: 0, end: 1, score: 0.95 },
  })
  return JSON.stringify({ regions: Array.from({ length: count }, one) })
}
