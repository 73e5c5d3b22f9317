import { gtrk, mebibyte, purify, regions, repeated } from './large-bodies.ts'

/** Bodies that are costly to read, parse or check: title, path, body, expected code and message. */
export const costlyRequests: readonly [string, string, () => string, number, RegExp][] = [
  [
    'ten million lists',
    '/task/check_particle',
    () => `{"x":[${'[],'.repeat(10 * mebibyte)}1]}`,
    6016,
    /larger than 20 MiB/,
  ],
  [
    'all lists that fit in 20 MiB',
    '/task/check_particle',
    () => repeated('{"x":[', '[],', { end: '1]}', bytes: 20 * mebibyte }),
    6016,
    /values and keys; at most 1310720/,
  ],
  [
    'as many lists as allowed',
    '/task/video_purify',
    () => purify(`"regions":[${'[],'.repeat(mebibyte - 50)}[]]`),
    6016,
    /regions: at most 50000 items, \d+ given/,
  ],
  [
    'all lists that fit in 1 MiB',
    '/task/image_purify',
    () => repeated('{"x":[', '[],', { end: '1]}', bytes: mebibyte }),
    6016,
    /values and keys; at most 65536/,
  ],
  [
    '1.5 million unknown keys',
    '/task/video_purify',
    () => `{${Array.from({ length: 1_500_000 }, (_, key) => `"k${key}":0`).join()}}`,
    6016,
    /at most/,
  ],
  [
    'four million invalid regions',
    '/task/video_purify',
    () => purify(`"regions":[${'0,'.repeat(4_000_000)}0]`),
    6016,
    /values and keys; at most 2097152/,
  ],
  [
    'a hundred thousand invalid regions',
    '/task/video_purify',
    () => purify(`"regions":[${'{},'.repeat(49_999)}{}],"protect_regions":[${'{"x":2},'.repeat(49_999)}{}]`),
    6016,
    /regions\[0\]/,
  ],
  [
    'a hundred thousand regions without their ids',
    '/task/video_purify',
    () => purify(`"regions":${regions(50_000).replaceAll(/"id":"[^"]*",/g, '')},"protect_regions":[]`),
    6016,
    /regions\[0\]\.id: required/,
  ],
  [
    'a hundred thousand regions that end too early',
    '/task/video_purify',
    () => purify(`"regions":${regions(50_000, 1)},"protect_regions":${regions(50_000, 1)}`),
    6016,
    /end must be after start/,
  ],
  [
    'a hundred thousand valid regions',
    '/task/video_purify',
    () => purify(`"regions":${regions(50_000)},"protect_regions":${regions(50_000)}`),
    6004,
    /file/,
  ],
  [
    'a million levels',
    '/task/video_purify',
    () => `${'['.repeat(mebibyte)}${']'.repeat(mebibyte)}`,
    6016,
    /nested 1048576 levels deep; at most 64/,
  ],
  [
    'twenty thousand levels in a field',
    '/task/video_split_screen',
    () => `{"clips":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    6016,
    /nested 20001 levels deep/,
  ],
  [
    '60,000 invalid clips',
    '/task/video_timeline_render',
    () =>
      `{"version":"v1","video_size":[640,360],"video_rate":25,"materials":[],"audio_track":[],"video_track":[{"track_index":0,"track_timeline":[${'{},'.repeat(60_000)}{}]}]}`,
    6016,
    /track_timeline\[0\]/,
  ],
  [
    'a timeline that is nested too deeply in a field that is ignored',
    '/task/video_timeline_render',
    () => gtrk(`"struct_meta":${'{"a":'.repeat(5000)}{}${'}'.repeat(5000)}`),
    6016,
    /nested 5002 levels deep; at most 64/,
  ],
  [
    'a timeline of as many tracks as fit',
    '/task/video_timeline_render',
    () => gtrk(`"beat_track":[${'{},'.repeat(20_000)}{}]`, 20_000),
    6016,
    /video_track/,
  ],
  [
    'a timeline of as many gaps as fit',
    '/task/video_timeline_render',
    () => gtrk('"struct_meta":{}', 1, 8000),
    6016,
    /video_track|clips/,
  ],
  [
    'all objects that fit in 1 MiB, where more is allowed',
    '/task/check_particle',
    () => repeated('{"x":[', '{},', { end: '{}]}', bytes: mebibyte }),
    6016,
    /exactly one of html and file_id/,
  ],
  [
    'a string of 16 MiB',
    '/task/check_particle',
    () => JSON.stringify({ html: '\n'.repeat(8 * mebibyte) }),
    200,
    /success/,
  ],
  [
    'a large ticket',
    '/base/file/upload/chunk/init',
    () => `"${'x'.repeat(70_000)}"`,
    6016,
    /larger than 64 KiB/,
  ],
]

const cueTimes = '00:00:01,000 --> 00:00:02,000\n'

/** A subtitle file of the largest size that repeats an item. */
const fullSubtitles = (start: string, item: string) => repeated(start, item, { end: '', bytes: 8 * mebibyte })

/** Subtitles that are costly to read: title, text, expected code and message. */
export const costlySubtitles: readonly [string, () => string, number, RegExp][] = [
  ['one entry of millions of lines', () => fullSubtitles(`${cueTimes}x\n`, '\n'), 200, /success/],
  ['times only', () => fullSubtitles('', cueTimes), 6016, /file_id: long\.srt/],
  ['tags only', () => fullSubtitles(cueTimes, '<i>'), 6016, /file_id: long\.srt/],
  ['fonts that do not end', () => fullSubtitles(cueTimes, '<font '), 6016, /file_id: long\.srt/],
  ['braces only', () => fullSubtitles(cueTimes, '{\\i1}'), 6016, /file_id: long\.srt/],
]
