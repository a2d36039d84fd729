//! RDMA communication management messages (IBTA 1.6, 12.6), behind a MAD header: what pairs two queue pairs.

/// Attribute of a request for communication.
pub const ATTRIBUTE_REQ: u16 = 0x0010;
/// Attribute of a rejection.
pub const ATTRIBUTE_REJ: u16 = 0x0012;
/// Attribute of the reply to a request.
pub const ATTRIBUTE_REP: u16 = 0x0013;
/// Attribute of "ready to use".
pub const ATTRIBUTE_RTU: u16 = 0x0014;
/// Attribute of a request for disconnection.
pub const ATTRIBUTE_DREQ: u16 = 0x0015;
/// Attribute of the reply to a request for disconnection.
pub const ATTRIBUTE_DREP: u16 = 0x0016;

/// Request for communication, up to what names the path.
pub mod req {
    header! {
        /// CM REQ, first 52 bytes.
        CmReq, 52 bytes, "IBTA 1.6, 12.6.5";
        /// Communication id of the sender of the REQ.
        LOCAL_COMM_ID local_comm_id: u32 = 0, 32;
        /// Reserved.
        RESERVED_A reserved_a: u32 = 32, 32;
        /// Service id.
        SERVICE_ID service_id: u64 = 64, 64;
        /// GUID of the sender's adapter.
        LOCAL_CA_GUID local_ca_guid: u64 = 128, 64;
        /// Reserved.
        RESERVED_B reserved_b: u32 = 192, 32;
        /// Queue key.
        LOCAL_QKEY local_qkey: u32 = 224, 32;
        /// Queue pair number of the sender of the REQ.
        LOCAL_QPN local_qpn: u32 = 256, 24;
        /// READ and ATOMIC requests the sender can answer at once.
        RESPONDER_RESOURCES responder_resources: u8 = 280, 8;
        /// End-to-end context.
        LOCAL_EECN local_eecn: u32 = 288, 24;
        /// READ and ATOMIC requests the sender will have outstanding.
        INITIATOR_DEPTH initiator_depth: u8 = 312, 8;
        /// Remote end-to-end context.
        REMOTE_EECN remote_eecn: u32 = 320, 24;
        /// Remote response timeout, 4.096 us * 2^n.
        REMOTE_TIMEOUT remote_timeout: u8 = 344, 5;
        /// Transport service: 0 RC, 1 UC, 2 RD, 3 see the extended type.
        SERVICE_TYPE service_type: u8 = 349, 2;
        /// End-to-end flow control.
        FLOW_CONTROL flow_control: u8 = 351, 1;
        /// First PSN that the sender of the REQ will send.
        STARTING_PSN starting_psn: u32 = 352, 24;
        /// Local response timeout, 4.096 us * 2^n.
        LOCAL_TIMEOUT local_timeout: u8 = 376, 5;
        /// Retry count.
        RETRY_COUNT retry_count: u8 = 381, 3;
        /// Partition key.
        PKEY pkey: u16 = 384, 16;
        /// Path MTU: 1 = 256 bytes to 5 = 4096.
        PATH_MTU path_mtu: u8 = 400, 4;
        /// RDC exists.
        RDC_EXISTS rdc_exists: u8 = 404, 1;
        /// RNR retry count.
        RNR_RETRY_COUNT rnr_retry_count: u8 = 405, 3;
        /// Retries of this message.
        MAX_CM_RETRIES max_cm_retries: u8 = 408, 4;
        /// Shared receive queue.
        SRQ srq: u8 = 412, 1;
        /// Extended transport type.
        EXTENDED_TYPE extended_type: u8 = 413, 3;
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        golden!(
            CmReq {
                local_comm_id: 0x8329_eb70,
                service_id: 0x0106_1c06,
                local_ca_guid: 0x5054_00ff_fe00_000a,
                local_qpn: 0x17,
                responder_resources: 1,
                initiator_depth: 1,
                remote_timeout: 20,
                starting_psn: 0x9a_e2b6,
                local_timeout: 20,
                retry_count: 7,
                pkey: 0xffff,
                path_mtu: 5,
                rnr_retry_count: 7,
                max_cm_retries: 15,
                ..CmReq::default()
            },
            [
                0x83, 0x29, 0xeb, 0x70, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x06, 0x1c, 0x06, 0x50, 0x54, 0x00, 0xff, 0xfe,
                0, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x17, 0x01, 0, 0, 0, 0x01, 0, 0, 0, 0xa0, 0x9a, 0xe2, 0xb6,
                0xa7, 0xff, 0xff, 0x57, 0xf0,
            ]
        );
    }
}

/// Reply to a request for communication.
pub mod rep {
    header! {
        /// CM REP, first 36 bytes.
        CmRep, 36 bytes, "IBTA 1.6, 12.6.8";
        /// Communication id of the sender of the REP.
        LOCAL_COMM_ID local_comm_id: u32 = 0, 32;
        /// Communication id that the REQ gave.
        REMOTE_COMM_ID remote_comm_id: u32 = 32, 32;
        /// Queue key.
        LOCAL_QKEY local_qkey: u32 = 64, 32;
        /// Queue pair number of the sender of the REP.
        LOCAL_QPN local_qpn: u32 = 96, 24;
        /// Reserved.
        RESERVED_A reserved_a: u8 = 120, 8;
        /// End-to-end context.
        LOCAL_EECN local_eecn: u32 = 128, 24;
        /// Reserved.
        RESERVED_B reserved_b: u8 = 152, 8;
        /// First PSN that the sender of the REP will send.
        STARTING_PSN starting_psn: u32 = 160, 24;
        /// Reserved.
        RESERVED_C reserved_c: u8 = 184, 8;
        /// READ and ATOMIC requests the sender can answer at once.
        RESPONDER_RESOURCES responder_resources: u8 = 192, 8;
        /// READ and ATOMIC requests the sender will have outstanding.
        INITIATOR_DEPTH initiator_depth: u8 = 200, 8;
        /// Target ACK delay, 4.096 us * 2^n.
        ACK_DELAY ack_delay: u8 = 208, 5;
        /// Failover accepted.
        FAILOVER failover: u8 = 213, 2;
        /// End-to-end flow control.
        FLOW_CONTROL flow_control: u8 = 215, 1;
        /// RNR retry count.
        RNR_RETRY_COUNT rnr_retry_count: u8 = 216, 3;
        /// Shared receive queue.
        SRQ srq: u8 = 219, 1;
        /// Reserved.
        RESERVED_D reserved_d: u8 = 220, 4;
        /// GUID of the sender's adapter.
        LOCAL_CA_GUID local_ca_guid: u64 = 224, 64;
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        golden!(
            CmRep {
                local_comm_id: 0xabb5_02ba,
                remote_comm_id: 0x8329_eb70,
                local_qpn: 0x17,
                starting_psn: 0x18_0a46,
                responder_resources: 1,
                initiator_depth: 1,
                ack_delay: 15,
                rnr_retry_count: 7,
                local_ca_guid: 0x5054_00ff_fe00_000b,
                ..CmRep::default()
            },
            [
                0xab, 0xb5, 0x02, 0xba, 0x83, 0x29, 0xeb, 0x70, 0, 0, 0, 0, 0, 0, 0x17, 0, 0, 0, 0, 0, 0x18, 0x0a,
                0x46, 0, 1, 1, 0x78, 0xe0, 0x50, 0x54, 0x00, 0xff, 0xfe, 0, 0, 0x0b,
            ]
        );
    }
}

/// Ready to use.
pub mod rtu {
    header! {
        /// CM RTU, first 8 bytes.
        CmRtu, 8 bytes, "IBTA 1.6, 12.6.9";
        /// Communication id of the sender of the RTU.
        LOCAL_COMM_ID local_comm_id: u32 = 0, 32;
        /// Communication id that the REP gave.
        REMOTE_COMM_ID remote_comm_id: u32 = 32, 32;
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        golden!(
            CmRtu { local_comm_id: 0x8329_eb70, remote_comm_id: 0xabb5_02ba },
            [0x83, 0x29, 0xeb, 0x70, 0xab, 0xb5, 0x02, 0xba]
        );
    }
}

/// Request for disconnection.
pub mod dreq {
    header! {
        /// CM DREQ, first 12 bytes.
        CmDreq, 12 bytes, "IBTA 1.6, 12.6.10";
        /// Communication id of the sender of the DREQ.
        LOCAL_COMM_ID local_comm_id: u32 = 0, 32;
        /// Communication id of its receiver.
        REMOTE_COMM_ID remote_comm_id: u32 = 32, 32;
        /// Queue pair number of its receiver.
        REMOTE_QPN remote_qpn: u32 = 64, 24;
        /// Reserved.
        RESERVED reserved: u8 = 88, 8;
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        golden!(
            CmDreq { local_comm_id: 0x8329_eb70, remote_comm_id: 0xabb5_02ba, remote_qpn: 0x17, ..CmDreq::default() },
            [0x83, 0x29, 0xeb, 0x70, 0xab, 0xb5, 0x02, 0xba, 0, 0, 0x17, 0]
        );
    }
}
