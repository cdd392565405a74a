import { z } from 'zod'
import { type Answer, jsonAnswer } from '../fcm-simulator/answer.ts'
import { behaviourSchema } from './behaviour.ts'
import { createShop, type Shop } from './shop.ts'

/** Outside the API: to script what happens and to see what did. */
export const controlPath = (shop: string): string => `/control/shops/${encodeURIComponent(shop)}`

const scriptSchema = z.strictObject({ userId: z.string().optional(), behaviours: z.array(behaviourSchema) })

export type Shops = Map<string, Shop>

export const shopOf = (shops: Shops, name: string): Shop => {
  const shop = shops.get(name) ?? createShop()
  shops.set(name, shop)
  return shop
}

/**
 * GET     /control/shops/{s}         the report
 * GET     /control/shops/{s}/users   how often each user was asked about
 * PUT     /control/shops/{s}/script  what happens from now on
 * DELETE  /control/shops/{s}         forget everything about the shop
 */
export const answerControl = (method: string, pathname: string, body: string, shops: Shops): Answer => {
  const [, name, rest = ''] = /^\/control\/shops\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? []
  if (name === undefined) return notFound
  const shop = shopOf(shops, decodeURIComponent(name))
  switch (`${method} ${rest}`) {
    case 'GET ':
      return jsonAnswer(200, shop.report())
    case 'GET users':
      return jsonAnswer(200, shop.users())
    case 'PUT script':
      return script(shop, body)
    case 'DELETE ':
      shops.delete(decodeURIComponent(name))
      return jsonAnswer(200, {})
    default:
      return notFound
  }
}

export const notFound = jsonAnswer(404, { message: 'There is nothing here' })

const script = (shop: Shop, body: string): Answer => {
  try {
    const { userId, behaviours } = scriptSchema.parse(JSON.parse(body))
    shop.script(behaviours, userId)
    return jsonAnswer(200, {})
  } catch (error) {
    return jsonAnswer(400, { message: error instanceof Error ? error.message : String(error) })
  }
}
