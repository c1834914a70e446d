//! A serializer that writes nothing: it fails at the first number of a document that is not finite.

use std::fmt;

use serde::ser::{self, Serialize};

/// The serializer.
#[derive(Clone, Copy)]
pub(crate) struct Finite;

/// That there is such a number.
#[derive(Debug, thiserror::Error)]
#[error("a number is not finite")]
pub(crate) struct Infinite;

impl ser::Error for Infinite {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! accept {
    ($($method:ident($($type:ty),*);)+) => {
        $(fn $method(self, $(_: $type),*) -> Result<(), Infinite> { Ok(()) })+
    };
}

macro_rules! open {
    ($($method:ident($($type:ty),*) -> $kind:ident;)+) => {
        $(type $kind = Self;)+
        $(fn $method(self, $(_: $type),*) -> Result<Self, Infinite> { Ok(self) })+
    };
}

impl ser::Serializer for Finite {
    type Ok = ();
    type Error = Infinite;

    accept! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    open! {
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_f32(self, value: f32) -> Result<(), Infinite> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Infinite> {
        if value.is_finite() { Ok(()) } else { Err(Infinite) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Infinite> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Infinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Infinite> {
        value.serialize(self)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<(), Infinite> {
        Ok(())
    }
}

macro_rules! contain {
    ($($kind:ident: $method:ident($($key:ty)?);)+) => {$(
        impl ser::$kind for Finite {
            type Ok = ();
            type Error = Infinite;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<(), Infinite> {
                value.serialize(*self)
            }

            fn end(self) -> Result<(), Infinite> {
                Ok(())
            }
        }
    )+};
}

contain! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeStruct: serialize_field(&'static str);
    SerializeStructVariant: serialize_field(&'static str);
}

impl ser::SerializeMap for Finite {
    type Ok = ();
    type Error = Infinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Infinite> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Infinite> {
        value.serialize(*self)
    }

    fn end(self) -> Result<(), Infinite> {
        Ok(())
    }
}
