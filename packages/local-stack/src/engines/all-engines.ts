import { elasticsearch } from './elasticsearch.ts'
import type { Engine } from './engine.ts'
import { kafka } from './kafka.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

export const allEngines: readonly Engine[] = [kafka, elasticsearch, redis, postgres]
