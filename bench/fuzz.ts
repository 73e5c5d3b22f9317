/** Sends generated requests to every endpoint of a service, and a tenth as many calls to every tool. Arguments: count, seed. */
import { seededRandom } from '../test/service/kill-rounds.ts'
import { fuzzService } from '../test/fuzz/service.ts'
import { fuzzTools } from '../test/fuzz/tools.ts'

const count = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
const random = seededRandom(seed)
const print = (what: string, figures: object): void => console.log(JSON.stringify({ what, seed, ...figures }))
print('endpoints', await fuzzService(count, random))
for (const era of ['legacy', 'modern'] as const) {
  print(`tools, ${era}`, await fuzzTools(Math.ceil(count / 20), { random, era }))
}
