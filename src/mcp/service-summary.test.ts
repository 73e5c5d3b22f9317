import { expect, test } from 'vitest'
import { capabilities, type Capabilities } from '../contract/catalog.ts'
import { summarizeService } from './service-summary.ts'

const name = (index: number) => `operation_with_a_long_name_${index}`

function serviceWith(operations: readonly Partial<Capabilities['operations'][number]>[]): Capabilities {
  return capabilities.parse({
    ...{ protocol_version: 2, version: '1.2.3' },
    operations: operations.map((one, index) => ({
      ...{ name: name(index), title: 'x', ready: true, missing: null, price: '1 credit' },
      ...one,
    })),
    limits: {
      ...{ max_file_bytes: 1, part_bytes: 1, upload_session_hours: 1, max_body_bytes: 1 },
      ...{ retention_days: 1, page_size: 1, max_page_size: 1 },
    },
    credits: { balance: 5 },
    tasks: { queued: 0, processing: 0 },
  })
}

test('operations are grouped by what they need', () => {
  const first_download = { packs: ['text-detection'], bytes: 2_432_880 }
  const missing = 'ffmpeg was not found. Fix: Install it'
  const operations = [{}, { first_download }, { first_download }, { ready: false, missing }]
  expect(summarizeService(serviceWith(operations))).toEqual({
    version: '1.2.3',
    ready: [name(0)],
    ready_after_download: [
      {
        operations: `${name(1)}, ${name(2)}`,
        state: 'after a download of 2.3 MiB (text-detection)',
      },
    ],
    not_ready: [{ operations: name(3), state: missing }],
    credits: { balance: 5 },
    tasks: { queued: 0, processing: 0 },
  })
})

const install = 'reelwright models pull zipvoice sense-voice'
const packs =
  'ZipVoice, distilled is not installed (155.8 MiB); it is required for speaking Chinese and English in a voice ' +
  'cloned from one recording; SenseVoice small is not installed (228.5 MiB); it is required for recognising speech'
const shortReason = 'ZipVoice, distilled is not installed (155.8 MiB)…'
const setting =
  'Set "language_model" in reelwright.config.json, such as { "language_model": "http://x/v1#m" }.'
const remarks = ` Any server: ${'its address and the model; '.repeat(8)}`

test.each([
  [1000, `${packs}. Fix: ${install}`, `no language model is set. Fix: ${setting}${remarks}`],
  [600, `${shortReason} Fix: ${install}`, `no language model is set. Fix: ${setting}${remarks}`],
  [400, `${shortReason} Fix: ${install}`, `no language model is set. Fix: ${setting}`],
  [300, `Fix: ${install}`, `Fix: ${setting}`],
])(
  'with room for %i characters, what precedes a fix is shortened, then remarks after it',
  (room, first, second) => {
    const operations = [
      { ready: false, missing: `${packs}. Fix: ${install}` },
      { ready: false, missing: `no language model is set. Fix: ${setting}${remarks}` },
    ]
    const { not_ready } = summarizeService(serviceWith(operations), { room })
    expect(not_ready?.map(({ state }) => state)).toEqual([first, second])
    expect(JSON.stringify(not_ready).length).toBeLessThanOrEqual(room)
  },
)

test('operations with the same command are one group where there is no room for its reason and remarks', () => {
  const fix = 'Fix: node run.mjs models pull sense-voice'
  const missing = `${packs}. ${fix}`
  const operations = [
    { ready: false, missing },
    { ready: false, missing: `${missing}. Or pass the transcript as a file.` },
  ]
  expect(summarizeService(serviceWith(operations), { room: 150 }).not_ready).toEqual([
    { operations: `${name(0)}, ${name(1)}`, state: fix },
  ])
  expect(summarizeService(serviceWith(operations), { room: 1000 }).not_ready).toHaveLength(2)
})

test('groups without room are counted, and the first is always shown', () => {
  const operations = ['a', 'b', 'c'].map((pack) => ({
    ...{ ready: false, missing: `${pack} is missing. Fix: reelwright models pull ${pack}` },
  }))
  expect(summarizeService(serviceWith(operations), { room: 10 }).not_ready).toEqual([
    { operations: name(0), state: 'Fix: reelwright models pull a' },
    { operations: '2 more', state: 'see details' },
  ])
})

test.each([
  ['all are ready', () => ({})],
  ['each misses something else', (index: number) => ({ ready: false, missing: `${index} `.repeat(500) })],
])('the summary of 18 operations has at most 1000 characters when %s', (_, one) => {
  const operations = Array.from({ length: 18 }, (_each, index) => one(index))
  expect(JSON.stringify(summarizeService(serviceWith(operations))).length).toBeLessThan(1000)
})
