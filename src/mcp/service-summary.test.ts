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
      { operations: `${name(1)}, ${name(2)}`, state: 'after a download of 2.3 MiB (text-detection)' },
    ],
    not_ready: [{ operations: name(3), state: missing }],
    credits: { balance: 5 },
    tasks: { queued: 0, processing: 0 },
  })
})

test.each([
  ['all are ready', () => ({})],
  ['each misses something else', (index: number) => ({ ready: false, missing: `${index} `.repeat(500) })],
])('the summary of 18 operations has at most 1000 characters when %s', (_, one) => {
  const operations = Array.from({ length: 18 }, (_each, index) => one(index))
  expect(JSON.stringify(summarizeService(serviceWith(operations))).length).toBeLessThan(1000)
})
